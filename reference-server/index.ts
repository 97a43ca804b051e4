export type { Alteration } from './alterations/alteration.ts';
export { type DecisionChange, ban, changeDecisions, combine } from './alterations/limiter-changes.ts';
export {
  changeResponses,
  headerOf,
  withHeader,
  withJson,
  withoutHeader,
} from './alterations/response-changes.ts';
export type { Fault } from './faults/fault.ts';
export { FAULTS } from './faults/index.ts';
export { LOAD_FAULTS } from './load-faults/index.ts';
export { foreignness } from './ports/own-origin.ts';
export { type Answer, answerError, answerWith } from './service/answer.ts';
export type { Service, ServiceRequest, ServiceResponse } from './service/messages.ts';
export { httpDate } from './service/render.ts';
export { representation } from './service/representation.ts';
export type { ServiceParts } from './service/service.ts';
// The Redis client is loaded only when a server is started that needs it.
export { startSharedServer } from './shared-store/start.ts';
export { UnusableStoreError } from './shared-store/store-errors.ts';
export { type UnshareablePart, replacedParts } from './shared-store/unshareable.ts';
export { type ReferenceServerOptions, type RunningServer, startReferenceServer } from './start.ts';
export { gzipWhereAllowed } from './variants/connections.ts';
export { VARIANTS } from './variants/index.ts';
export { FREEDOMS, type Variant } from './variants/variant.ts';
