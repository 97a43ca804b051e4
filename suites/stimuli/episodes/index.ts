export { drawEpisodes } from './draw-episodes.ts';
export { KEY_STATES, type KeyState } from './key-states.ts';
export { playSteps } from './play-steps.ts';
export { setStage } from './stage.ts';
