export type { Alteration } from './alterations/alteration.ts';
export { type DecisionChange, ban, changeDecisions } from './alterations/decisions.ts';
export { spellResponses } from './alterations/spellings.ts';
export { changeResponses, withJson } from './alterations/responses.ts';
export {
  headerOf,
  withHeader,
  withoutHeader,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from './service/messages.ts';
export type { Fault } from './faults/fault.ts';
export { FAULTS } from './faults/index.ts';
export { LOAD_FAULTS } from './load-faults/index.ts';
export { type Answer, answerError, answerWith, httpDate } from './service/answer.ts';
export type { ServiceParts } from './service/service.ts';
// The Redis client is loaded only when a server is started that needs it.
export { startSharedServer, type UnshareablePart, replacedParts } from './shared-store/start.ts';
export { UnusableStoreError } from './shared-store/connection.ts';
export { type ReferenceServerOptions, type RunningServer, startReferenceServer } from './start.ts';
export { openVirtualLimits } from './virtual-limits.ts';
export { codeWhereAllowed } from './variants/transport.ts';
export { type Freedom, FREEDOMS, type Variant, VARIANTS } from './variants/index.ts';
