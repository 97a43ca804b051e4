import type { ReportedServer } from '../model/report.ts';
import { countText } from './subject-text.ts';

/** Such as `The server kept the specification in all 312 responses`. */
export function serverText({ responses, accusations, breaks }: ReportedServer): string {
  const onPurpose = breaks.map(({ scenario, requirements }) => `${scenario}: ${requirements.join(', ')}`);
  const but =
    onPurpose.length === 0 ? '' : `, unless a scenario breaks it on purpose (${onPurpose.join('; ')})`;
  const accused = new Set(accusations.map(({ scenario }) => scenario)).size;
  return accused === 0
    ? `The server kept the specification in all ${countText(responses, 'response')}${but}`
    : `The server did not keep the specification in ${countText(accused, 'scenario')}, of which nothing is said`;
}
