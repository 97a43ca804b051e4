import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'report.sarif',
  render: async (report) => (await import('../sarif/render-sarif.ts')).renderSarif(report),
};

export const SARIF_FORMAT: ReportFormat = {
  name: 'SARIF',
  files: { verify: file, certify: file, load: file },
};
