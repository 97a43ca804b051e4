import type { Report } from '../model/report.ts';
import type { ReportFile, ReportFormat } from './format.ts';

const image: ReportFile<Report> = {
  name: 'badge.svg',
  render: async (report) => (await import('../badge/render-badge.ts')).renderBadge(report),
};

const endpoint: ReportFile<Report> = {
  name: 'badge.json',
  render: async (report) => (await import('../badge/render-badge.ts')).renderEndpointBadge(report),
};

export const BADGE_FORMAT: ReportFormat = {
  name: 'Badge',
  files: { verify: image, certify: image, load: image },
};

export const ENDPOINT_BADGE_FORMAT: ReportFormat = {
  name: 'Endpoint Badge',
  files: { verify: endpoint, certify: endpoint, load: endpoint },
};
