import type { Report } from '../../../reports/index.ts';

/** The report with each of its texts as it may be shown: whatever is written is made of that. */
export function redactReport<Kind extends Report>(report: Kind, redact: (text: string) => string): Kind {
  const redacted: Kind = JSON.parse(JSON.stringify(report), (_member, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  return redacted;
}
