/** What programs import from `stockcheck`; docs/library.md shows how. */
export { ConfigurationError } from '../../contract/configuration-error.ts';
export type { LoadScenarioResult, LoadSecond } from '../../contract/load-result.ts';
export type { Finding, Outcome } from '../../contract/verdict.ts';
export {
  type CertifyReport,
  type LoadReport,
  parseReport,
  type Report,
  type ReportedRequirement,
  type VerifyReport,
  writeReportDirectory as writeReport,
} from '../../reports/index.ts';
export type { TargetDescription } from '../../suites/target/index.ts';
export { certify, type CertifyEvent, type CertifyCallOptions as CertifyOptions } from './certify/certify.ts';
export {
  checkCertificate,
  type CertificateCheckOptions as CheckCertificateOptions,
} from './certificate/check-certificate.ts';
export type { CheckedCertificate } from './certificate/check-certificate.ts';
export {
  compare,
  type CompareCallOptions as CompareOptions,
  type ComparedPair as Comparison,
} from './compare.ts';
export {
  startServerOf as startReferenceServer,
  type ServerStartOptions as ReferenceServerOptions,
  type StartedServer as ReferenceServer,
} from './embedded/embedded-target.ts';
export {
  load,
  type LoadEvent,
  type LoadCallOptions as LoadOptions,
  type ScenarioDescription,
} from './load/load.ts';
export { verify, type VerifyEvent, type VerifyCallOptions as VerifyOptions } from './verify/verify.ts';
