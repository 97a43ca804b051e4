export {
  type CertifyListener,
  type CertifyResult,
  type ClientRunOptions,
  type JudgedRecord,
  certifyClient,
  judgeRecords,
} from './certify.ts';
export type { ClientDriver, ClientOutcome } from './drivers/driver.ts';
export { createExecDriver } from './drivers/exec.ts';
export { createJsonlDriver } from './drivers/jsonl.ts';
export { createNoneDriver } from './drivers/none.ts';
export { CLIENT_JUDGES } from './judges/index.ts';
export { longestEndedWait, returnsOf } from './herd/crowd-returns.ts';
export { HERD_JUDGE } from './herd/judge-herd.ts';
export type { HerdFigures } from './herd/play-herd.ts';
export { TOLERANCE_SECONDS, earlyRequests, isTolerable } from './records/traffic-reading.ts';
export { CLIENT_PLAN, judgeServer } from './records/judge-server.ts';
export { lineOfRecord, recordOfLine } from './records/record-lines.ts';
export { fitBackoff, limitedWaits } from './records/fit-backoff.ts';
export { CLIENT_KEY_LABEL, hideClientKey } from './records/record-client-exchange.ts';
export type { ClientExchange, Counterparty, Traffic } from './records/record.ts';
export { startProcessGroup, tellExit } from './drivers/process-group.ts';
export { SCENARIOS } from './scenarios/index.ts';
export {
  type ClientTask,
  type RetryAfterScript,
  type ClientScenario,
  type ScriptedAnswer,
  type ServiceTrait,
  requestOfTask,
} from './scenarios/scenario.ts';
export { sideBySide } from './side-by-side.ts';
