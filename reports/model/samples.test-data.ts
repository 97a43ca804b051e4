import { SAMPLE_CERTIFY_REPORT } from './sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from './sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from './sample-report.test-data.ts';

/** A report of each kind by what it is on. */
export const SAMPLES = [
  ['target', SAMPLE_REPORT],
  ['client', SAMPLE_CERTIFY_REPORT],
  ['target under load', SAMPLE_LOAD_REPORT],
] as const;
