export {
  fateOfInventory,
  fateOfPet,
  isWhole,
  type Listed,
  type PetFate,
  possibleQuantities,
} from './compare.ts';
export {
  lockControl,
  stateDirectories,
  stateOnDemand,
  UnusableState,
  type StateDirectory,
} from './state-directory.ts';
export type { NotedInventory, NotedPet } from './journal-records.ts';
export { findAbandoned, openJournal, type AbandonedJournal, type Journal } from './journal.ts';
