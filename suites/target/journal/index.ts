export { fateOfInventory, fateOfPet, readListed, type Listed, type PetFate } from './compare.ts';
export { lockControl } from './control-lock.ts';
export type { NotedInventory, NotedPet } from './journal-records.ts';
export { findAbandoned, openJournal, type AbandonedJournal, type Journal } from './journal.ts';
export { possibleQuantities } from './possible-quantities.ts';
export { stateDirectories, stateOnDemand, UnusableState, type StateDirectory } from './state-directory.ts';
