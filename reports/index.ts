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
  readStatement,
  SPECIFICATION,
  statementOf,
  withoutEvidence,
} from './certificate/statement.ts';
export { listedFailures, reportCauses } from './model/attention.ts';
export { type Trend, compareReports, trendOf } from './model/compare-reports.ts';
export {
  type KillMatrix,
  SOURCES,
  type TrialOutcome,
  type TrialResult,
  isWrong,
  summarize,
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
export { type RepeatableFinding, repeatableFindings } from './model/findings.ts';
export { parseReport, validateKillMatrix, validateReport } from './model/validate.ts';
export { changesDocument, matrixDocument } from './document/comparison.ts';
export { killMatrixDocument } from './document/kill-matrix.ts';
export { runDocument } from './document/run.ts';
export { stormDocument } from './document/storm.ts';
export { renderPage } from './html/page.ts';
export { renderMarkdown } from './markdown/document.ts';
export { renderTerminal, type Style, styleFor } from './terminal/document.ts';
export { layOut, type NamedReport, type ReportMatrix } from './model/report-matrix.ts';
export { renderGithubAnnotations, renderSummaryLine } from './terminal/pipelines.ts';
export { countText, printableLine, shellWord } from './model/words.ts';
export { observationText } from './model/observations.ts';
export { addressText, withSubject } from './model/run.ts';
export { writeReportDirectory, writeReportText } from './write.ts';
