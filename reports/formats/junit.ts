import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'junit.xml',
  render: async (report) => (await import('../junit/render-junit.ts')).renderJUnit(report),
};

export const JUNIT_FORMAT: ReportFormat = {
  name: 'JUnit XML',
  files: { verify: file, certify: file, load: file },
};
