import type { Check } from '../check.ts';
import * as authentication from './authentication.ts';
import { banCheck } from './ban.ts';
import { dayAcrossMinutes, dayLimitChecks, wholeDay } from './day-limits.ts';
import { countersExpire, dayWindowLength, patientDay } from './day-windows.ts';
import { edgePets } from './edge-pets.ts';
import { daysApart, keysApart, keysAtLimit } from './independence.ts';
import { limitOverForms, limitSurvivesRefusals } from './limit-escapes.ts';
import { listCheck, wholeStore } from './listing.ts';
import { minuteLimitChecks } from './minute-limits.ts';
import { acceptedForms, observedUpdates, oddRequests } from './observations.ts';
import { badBodies, moreBadBodies, moreUnknownPets, refusalsAlone, unknownPetCheck } from './refusals.ts';
import { remainingFalls, remainingFallsLong, remainingFallsWithUpdates } from './remaining.ts';
import { secondBan } from './second-ban.ts';
import {
  concurrentUpdates,
  confusablePets,
  manyUpdates,
  updateCheck,
  updateSeenByOthers,
} from './updates.ts';
import { updateOutlivesTime, updateSequences, updateWithEveryPlan } from './update-sequences.ts';
import {
  retryAfterAtAnyMoment,
  patientClient,
  patientForLong,
  windowLength,
  windowRenews,
  windowRenewsInRealTime,
} from './window-behaviour.ts';
import { windowAlgorithm } from './window-algorithm.ts';
import { windowEnd } from './window-end.ts';

/** All checks, in the order in which they ask for keys; a new one is added here. */
export const CHECKS: readonly Check[] = [
  daysApart,
  acceptedForms,
  wholeStore,
  confusablePets,
  edgePets,
  refusalsAlone,
  banCheck,
  ...minuteLimitChecks,
  remainingFalls,
  listCheck,
  updateCheck,
  badBodies,
  unknownPetCheck,
  authentication.keylessReads,
  authentication.keylessForms,
  authentication.keylessUpdates,
  authentication.alteredKeys,
  authentication.revokedKeys,
  authentication.keyRevokedNow,
  authentication.alteredKeysElsewhere,
  authentication.manyKeylessRequests,
  remainingFallsLong,
  remainingFallsWithUpdates,
  updateSeenByOthers,
  keysApart,
  manyUpdates,
  updateSequences,
  updateWithEveryPlan,
  updateOutlivesTime,
  concurrentUpdates,
  moreBadBodies,
  moreUnknownPets,
  observedUpdates,
  oddRequests,
  authentication.credentialSpellings,
  limitOverForms,
  limitSurvivesRefusals,
  retryAfterAtAnyMoment,
  patientClient,
  patientForLong,
  windowAlgorithm,
  windowLength,
  windowRenews,
  windowRenewsInRealTime,
  windowEnd,
  secondBan,
  keysAtLimit,
  ...dayLimitChecks,
  dayAcrossMinutes,
  dayWindowLength,
  patientDay,
  countersExpire,
  wholeDay,
];
