export { readReferences } from './configuration/environment-references.ts';
export {
  type TargetConfig,
  isLoopback,
  rememberingUse,
  resolveTargetConfig,
  targetWarnings,
  type TargetDescription,
} from './configuration/target-config.ts';
export type { ConfiguredScenario } from './configuration/target-config-validator.ts';
export { type Capability, type ControlClient, ControlError, NotServed } from './control/control-client.ts';
export { LONGEST_REAL_WAIT_SECONDS, type Timekeeper, WaitTooLong, keepTime } from './control/timekeeper.ts';
export {
  type ConnectionPool,
  type TransportOptions,
  LARGEST_HEADER_BYTES,
  openConnections,
  overPool,
} from './http/http-transport.ts';
export {
  FIELD_NAME_SPELLINGS,
  withFieldNames,
  withFields,
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
} from './http/operations.ts';
export { describeLosses, isGatewayPage, lastTaken, NoResponse, mayBeChance } from './http/no-response.ts';
export { beginHistory, ignoreHistory, tellingControl } from './history.ts';
export { MOST_INQUIRIES, trackLiveness } from './http/liveness.ts';
export { decodeContent, unreadableBody } from './http/received-body.ts';
export { evidence, inspect, noteJudgements, judgeExchange } from './http/judge-exchange.ts';
export { type Credentials, performExchange } from './http/perform-exchange.ts';
export {
  BudgetError,
  type TargetClient,
  addressOf,
  connectTo,
  createTargetClient,
} from './http/target-client.ts';
export { type Journal, UnusableState, openJournal, stateOnDemand } from './journal/index.ts';
export {
  configuredKeys,
  type KeyLeases,
  type KeyNeed,
  keepsLimit,
  isSaved,
  leaseOne,
  requestsOf,
} from './keys/key-leases.ts';
export {
  MOST_USE_INQUIRIES,
  MOST_WRITE_INQUIRIES,
  type SeenOthers,
  findForeignUse,
  findForeignWrites,
  idle,
  IDLE_MILLISECONDS,
  withoutOthers,
} from './other-users.ts';
export { NoRoomLeft, leaseConfiguredKeys } from './keys/lease-configured-keys.ts';
export { type Pet, type PetLeases, leasePets, distinctQuantity } from './pets/pets.ts';
export { showsQuantity } from './pets/restoring.ts';
export type { TargetInventory } from './pets/target-inventory.ts';
export {
  type ConnectedTarget,
  type KnownTarget,
  type OpenedTarget,
  type TargetOptions,
  describeTarget,
  openTarget,
  withTarget,
} from './open-target.ts';
export type { Preflight, PreflightFailure } from './preflight.ts';
export { withKeys } from './trail/key-text.ts';
export { openTrailLog, type TrailLog } from './trail/trail-log.ts';
export { type Redactor, createRedactor, redactorOf } from './redaction/redaction.ts';
export {
  bodyLine,
  bodyOfLine,
  headerLines,
  headersOfLine,
  itemsMember,
  momentMember,
  responseLine,
  statusMember,
} from './transcript/read-lines.ts';
export { drawPseudonyms } from './transcript/pseudonyms.ts';
export { judgeTranscript } from './transcript/judge-transcript.ts';
export type { EndOfRun } from './transcript/read-lines.ts';
export { atLine, isPacked, openLineFile, readLineFile } from './transcript/line-file.ts';
export { type TranscriptRecorder, recordTranscript } from './transcript/record-transcript.ts';
export { createSecretFinder } from './redaction/secret-finder.ts';
