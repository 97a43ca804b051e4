export { type AnyReport, renderFormat, renderJson } from './formats/index.ts';
export {
  isSignedBy,
  keyIdOf,
  readEnvelope,
  readPrivateKey,
  readPublicKey,
  signStatement,
  STATEMENT_MEDIA_TYPE,
} from './certificate/envelope.ts';
export {
  type ArtifactDescriptor,
  type Certificate,
  type JudgedAgain,
  readStatement,
  SPECIFICATION,
  statementOf,
  withoutEvidence,
} from './certificate/statement.ts';
export { killMatrixTable } from './kill-matrix/markdown.ts';
export { renderKillMatrix } from './kill-matrix/terminal.ts';
export { listedFailures, reportCauses } from './model/attention.ts';
export { type Trend, compareReports, trendOf } from './model/compare-reports.ts';
export {
  type KillMatrix,
  SOURCES,
  type Source,
  type ShrunkTrial,
  type TrialOutcome,
  type TrialResult,
  isWrong,
  trialName,
} from './model/kill-matrix.ts';
export type {
  CertifyReport,
  CertifyVerdict,
  LoadEnvironment,
  LoadReport,
  Report,
  ReportedExploration,
  Observation,
  ReportedFreedom,
  ReportedHerd,
  ReportedReturns,
  ReportedPower,
  ReportedResponseTimes,
  ReportedRequirement,
  ReportedTraffic,
  ReportedScenario,
  ReportedServer,
  TimelineEntry,
  TargetVerdict,
  VerifyReport,
} from './model/report.ts';
export { countOutcomes, isBinding, reasonOf } from './model/requirement-groups.ts';
export { type RepeatableFinding, repeatableFindings } from './model/repeatable.ts';
export { parseReport, validateKillMatrix, validateReport } from './model/validate.ts';
export { renderOpenMetrics } from './openmetrics/render-openmetrics.ts';
export { renderMatrixHtml } from './comparison/html.ts';
export { renderMatrixMarkdown } from './comparison/markdown.ts';
export { renderMatrix } from './comparison/terminal.ts';
export { layOut, type NamedReport, type ReportMatrix } from './model/report-matrix.ts';
export { renderStormHtml } from './storm/html.ts';
export { renderStorm } from './storm/terminal.ts';
export { renderComparison } from './terminal/comparison.ts';
export { renderGithubAnnotations } from './terminal/github-annotations.ts';
export { renderSummaryLine } from './terminal/summary-line.ts';
export { renderVerdict } from './terminal/render-verdict.ts';
export { printableLine } from './wording/printable.ts';
export { observationText } from './wording/observation-text.ts';
export { fingerprintOf } from './wording/fingerprint-text.ts';
export { addressText, countText, shellWord, withSubject } from './wording/subject-text.ts';
export { writeReportDirectory, writeReportFile, writeReportFormat, writeReportText } from './write.ts';
