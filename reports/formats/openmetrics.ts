import type { ReportFormat } from './format.ts';

export const OPENMETRICS_FORMAT: ReportFormat = {
  name: 'OpenMetrics',
  files: {
    load: {
      name: 'metrics.txt',
      render: async (report) =>
        (await import('../openmetrics/render-openmetrics.ts')).renderOpenMetrics(report),
    },
  },
};
