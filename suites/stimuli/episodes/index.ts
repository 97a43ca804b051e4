export { drawCarefulEpisodes, drawEpisodes } from './draw-episodes.ts';
export type { Episode } from './episode.ts';
export type { KeyState } from './key-states.ts';
export { playSteps } from './play-steps.ts';
export { needOfEpisodeKey, setStage, type Stage } from './stage.ts';
