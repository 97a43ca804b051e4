import type { Check } from '../check.ts';
import { alteredKeys, alteredKeysElsewhere, credentialSpellings } from './altered-keys.ts';
import { banCheck, dayAfterBan, secondBan, waitBeforeBan } from './bans.ts';
import { clockEdges } from './clock-edges.ts';
import { dayAcrossMinutes, dayLimitChecks, wholeDay } from './day-limits.ts';
import { countersExpire, dayWindowLength, patientDay, patientDays } from './day-windows.ts';
import { earlyReturn } from './early-return.ts';
import {
  concurrentUpdates,
  confusablePets,
  edgePets,
  lastUpdate,
  manyUpdates,
  updateCheck,
} from './updates.ts';
import { daysApart, keysApart, keysAtLimit } from './independence.ts';
import { keylessForms, keylessReads, keylessUpdates, manyKeylessRequests } from './missing-keys.ts';
import { patientForLong, retryAfterAtAnyMoment } from './patient-clients.ts';
import { keyRevokedNow, revokedAtLimit, revokedKeys } from './revoked-keys.ts';
import {
  updateOutlivesTime,
  updateSeenByOthers,
  updateSequences,
  updateSequencesInRealTime,
  updateWithEveryPlan,
} from './update-sequences.ts';
import { lastSecond, windowEnd, windowLength, windowRenews } from './windows.ts';
import { limitOverForms, limitSurvivesRefusals } from './limit-escapes.ts';
import { listCheck, wholeStore } from './listing.ts';
import { minuteLimitChecks } from './minute-limits.ts';
import { acceptedForms, observedUpdates, oddRequests } from './observations.ts';
import {
  badBodies,
  lenientBodies,
  moreBadBodies,
  moreUnknownPets,
  refusalsAlone,
  unknownPetCheck,
} from './refusals.ts';
import { remainingFalls, remainingFallsLong, remainingFallsWithUpdates } from './remaining.ts';
import { windowAlgorithm } from './window-algorithm.ts';

/** All checks, in the order in which they ask for keys; a new one is added here. */
export const CHECKS: readonly Check[] = [
  daysApart,
  acceptedForms,
  wholeStore,
  confusablePets,
  lastUpdate,
  edgePets,
  refusalsAlone,
  banCheck,
  ...minuteLimitChecks,
  remainingFalls,
  listCheck,
  updateCheck,
  badBodies,
  unknownPetCheck,
  keylessReads,
  keylessForms,
  keylessUpdates,
  alteredKeys,
  revokedKeys,
  keyRevokedNow,
  revokedAtLimit,
  alteredKeysElsewhere,
  lenientBodies,
  manyKeylessRequests,
  remainingFallsLong,
  remainingFallsWithUpdates,
  updateSeenByOthers,
  keysApart,
  manyUpdates,
  updateSequences,
  updateSequencesInRealTime,
  updateWithEveryPlan,
  updateOutlivesTime,
  concurrentUpdates,
  moreBadBodies,
  moreUnknownPets,
  observedUpdates,
  oddRequests,
  credentialSpellings,
  limitOverForms,
  limitSurvivesRefusals,
  retryAfterAtAnyMoment,
  clockEdges,
  earlyReturn,
  patientForLong,
  windowAlgorithm,
  windowLength,
  windowRenews,
  lastSecond,
  windowEnd,
  secondBan,
  waitBeforeBan,
  keysAtLimit,
  ...dayLimitChecks,
  dayAcrossMinutes,
  dayAfterBan,
  dayWindowLength,
  patientDay,
  patientDays,
  countersExpire,
  wholeDay,
];

/** These checks, and before what takes accepted forms the one that finds them out. */
export function withAcceptedForms(checks: readonly Check[]): readonly Check[] {
  return [...new Set(checks.flatMap((check) => (check.takesForms ? [acceptedForms, check] : check)))];
}
