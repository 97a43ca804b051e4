import type { Check } from '../check.ts';
import * as authentication from './authentication.ts';
import { ban } from './ban.ts';
import { dayAcrossMinutes, dayLimitChecks, wholeDay } from './day-limits.ts';
import { keysAtLimit } from './independence.ts';
import { limitOverForms, limitSurvivesRefusals } from './limit-escapes.ts';
import { listCheck, wholeStore } from './listing.ts';
import { minuteLimitChecks } from './minute-limits.ts';
import { acceptedForms, observedUpdates, oddRequests } from './observations.ts';
import { badBodies, moreBadBodies, moreUnknownPets, refusalsAlone, unknownPetCheck } from './refusals.ts';
import { remainingFalls, remainingFallsLong } from './remaining.ts';
import { confusablePets, manyUpdates, updateCheck, updateSeenByOthers } from './updates.ts';
import { retryAfterAtAnyMoment, patientClient, windowLength, windowRenews } from './window-behaviour.ts';

/** All checks, in the order in which they ask for keys; a new one is added here. */
export const CHECKS: readonly Check[] = [
  acceptedForms,
  wholeStore,
  confusablePets,
  refusalsAlone,
  ban,
  ...minuteLimitChecks,
  remainingFalls,
  listCheck,
  updateCheck,
  badBodies,
  unknownPetCheck,
  authentication.keylessReads,
  authentication.keylessUpdates,
  authentication.alteredKeys,
  authentication.revokedKeys,
  authentication.keyRevokedNow,
  authentication.alteredKeysElsewhere,
  authentication.manyKeylessRequests,
  remainingFallsLong,
  updateSeenByOthers,
  manyUpdates,
  moreBadBodies,
  moreUnknownPets,
  observedUpdates,
  oddRequests,
  authentication.credentialSpellings,
  limitOverForms,
  limitSurvivesRefusals,
  retryAfterAtAnyMoment,
  patientClient,
  windowLength,
  windowRenews,
  keysAtLimit,
  ...dayLimitChecks,
  dayAcrossMinutes,
  wholeDay,
];
