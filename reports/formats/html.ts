import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'report.html',
  render: async (report) => (await import('../html/render-html.ts')).renderHtml(report),
};

export const HTML_FORMAT: ReportFormat = {
  name: 'HTML',
  files: {
    verify: file,
    certify: file,
    load: file,
    prove: {
      name: 'kill-matrix.html',
      render: async (matrix) => (await import('../kill-matrix/html.ts')).renderKillMatrixHtml(matrix),
    },
  },
};
