export { connectFleet } from './coordinator.ts';
export { startFleetWorker } from './worker.ts';
