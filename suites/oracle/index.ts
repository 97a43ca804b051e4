export {
  type Exchange,
  type Operation,
  type RequestMessage,
  type ResponseMessage,
  bodyBytesOf,
  condense,
  header,
  isAccepted,
  itemInAnswer,
  jsonOf,
  listOf,
  mediaTypeOf,
  rateLimitOf,
  retryAfterOf,
} from './exchange.ts';
export {
  type Judgement,
  type JudgementTally,
  type Judgements,
  type ObservedValue,
  collectJudgements,
} from './judgements/judgements.ts';
export {
  type Key,
  TWO_WINDOWS_SECONDS,
  describeDay,
  isDayShort,
  leftOfDay,
  newUsage,
  type KeyUsage,
  planningLimits,
  secondsUntilClean,
  secondsUntilFresh,
  secondsSpared,
  secondsUntilRoom,
} from './keys.ts';
export { type Listing, readEntries, readListing } from './listing.ts';
export type { Monitor, Reporter } from './monitor.ts';
export { HEADER_MONITORS, MONITORS } from './monitors/index.ts';
export { headerValuesMonitor } from './monitors/rate-limit-headers.ts';
export { kindOfBody } from './monitors/responses.ts';
export { doubtfulPlans } from './plan-of-limit.ts';
export { type ProvisionalJudgements, judgeProvisionally } from './judgements/provisional-judgements.ts';
export {
  type ClockDrift,
  type ServerClock,
  type TimeSpan,
  followServerClock,
  leastSecondsToWait,
  secondsAsked,
  secondsToWait,
} from './server-clock.ts';
export { reworded } from './judgements/explanations.ts';
export { COUNTED_BY_KEY, SEEN_IN_STORE, takesSeveralRequests } from './judgements/requirement-evidence.ts';
export type { Span } from './limits/index.ts';
export {
  type Accusation,
  type HistoryMonitor,
  NOTHING_STRANGE,
  type OracleJudgement,
} from './history-monitor.ts';
export type {
  Credential,
  HistoryEvent,
  SentRequest,
  SpoiltConnection,
  UnansweredRequest,
} from './history.ts';
export { type KnownSecret, type Presented, readCredential } from './credential.ts';
export { ENOUGH_FOREIGN_WRITES } from './inventory/claimed-pets.ts';
export { inventoryMonitor } from './inventory/inventory-monitor.ts';
export { earlyRenewalsMonitor, limitsMonitor } from './limits/index.ts';
export { type JsonMember, readMembers } from './answers/json-members.ts';
export { mayCarryCredentials, NEVER_MATCHING, readFields } from './answers/request-fields.ts';
export { readRequest } from './answers/permitted-answers.ts';
export { effectOf, outcomeOfWrite, quantityAskedFor } from './answers/request-effect.ts';
export { documentedOperation, isDocumentedButForSpelling, percentDecoded } from './answers/request-target.ts';
export { HISTORY_MONITORS, openOracle } from './oracle.ts';
export { isMalformed, seenExchange, tellInOrder } from './seen-traffic.ts';
