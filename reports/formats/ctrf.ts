import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'ctrf-report.json',
  render: async (report) => (await import('../ctrf/render-ctrf.ts')).renderCtrf(report),
};

export const CTRF_FORMAT: ReportFormat = {
  name: 'CTRF',
  files: { verify: file, certify: file, load: file },
};
