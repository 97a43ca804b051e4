import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'findings.har',
  render: async (report) => (await import('../har/render-har.ts')).renderHar(report),
};

export const HAR_FORMAT: ReportFormat = {
  name: 'HAR',
  files: { verify: file, certify: file, load: file },
};
