import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'gl-code-quality-report.json',
  render: async (report) =>
    (await import('../code-quality/render-code-quality.ts')).renderCodeQuality(report),
};

export const CODE_QUALITY_FORMAT: ReportFormat = {
  name: 'Code Quality',
  files: { verify: file, certify: file, load: file },
};
