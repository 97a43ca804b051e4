export { drawEpisodes } from './draw-episodes.ts';
export { playSteps } from './play-steps.ts';
export { setStage } from './stage.ts';
