export { type Exploration, explore } from './explore.ts';
