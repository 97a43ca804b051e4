export { type ExplorationResult, explore } from './explore.ts';
