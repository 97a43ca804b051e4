import { hostileCertifyReport, SAMPLE_CERTIFY_REPORT } from './sample-certify-report.test-data.ts';
import { hostileLoadReport, SAMPLE_LOAD_REPORT } from './sample-load-report.test-data.ts';
import { hostileReport, SAMPLE_REPORT } from './sample-report.test-data.ts';

/** A report of each kind by what it is on, and the same with whatever a subject might say. */
export const SAMPLES = [
  ['target', SAMPLE_REPORT, hostileReport],
  ['client', SAMPLE_CERTIFY_REPORT, hostileCertifyReport],
  ['target under load', SAMPLE_LOAD_REPORT, hostileLoadReport],
] as const;
