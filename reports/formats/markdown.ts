import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const file: ReportFile<Report> = {
  name: 'report.md',
  render: async (report) => (await import('../markdown/render-markdown.ts')).renderMarkdown(report),
};

export const MARKDOWN_FORMAT: ReportFormat = {
  name: 'Markdown',
  files: {
    verify: file,
    certify: file,
    load: file,
    prove: {
      name: 'kill-matrix.md',
      render: async (matrix) => (await import('../kill-matrix/markdown.ts')).renderKillMatrixMarkdown(matrix),
    },
  },
};
