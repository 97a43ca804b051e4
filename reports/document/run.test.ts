import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { attention } from '../model/attention.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import {
  hostileOf,
  REPORT_WITH_CAUSES,
  SAMPLE_REPORT,
  withRequirements,
} from '../model/sample-report.test-data.ts';
import { SAMPLE_LOAD_REPORT, SAMPLES } from '../model/sample-load-report.test-data.ts';
import type { Report } from '../model/report.ts';
import { renderTerminal } from '../terminal/document.ts';
import { runDocument } from './run.ts';

function textOf(report: Report, color = false): string {
  return renderTerminal(runDocument(report), color);
}

const BESIDE_LINE_FEED = /[^\P{Cc}\n]/u;

describe('the verdict on the terminal', () => {
  const text = textOf(SAMPLE_REPORT);

  test('shows each failure with level, clause, what was seen and one line that shows it again', () => {
    for (const { root } of attention(SAMPLE_REPORT).failures) {
      const { id, clause, findings } = root;
      const [first] = findings;
      const again = first?.trail === undefined ? first?.curl : first.repeat;
      expect(text).toContain(`✗ ${id} (must; ${clause})`);
      expect(text).toContain(`    ${first?.message}\n`);
      expect(text).toContain(`    ${again}\n`);
    }
  });

  test('shows a failure in eight lines at most', () => {
    const [, failed = ''] = text.split(/^Failed.*$/m);
    const blocks = (failed.split('\n\n')[0] ?? '').split(/^(?=  ✗)/m).slice(1);
    expect(blocks.length).toBe(attention(SAMPLE_REPORT).failures.length);
    expect(blocks.filter((block) => block.trimEnd().split('\n').length > 8)).toEqual([]);
  });

  test('says how often a failure was seen, what led there and how to run the check again', () => {
    expect(text).toContain(' Seen in 245 of 3,700 responses, 1 in 15.\n');
    expect(text).toContain(
      '      +0.000 s 60 × GET /inventory (free#1) → 60 × 200, 59 … 0 of 60 remaining\n',
    );
    expect(text).toContain('    npx stockcheck verify http://127.0.0.1:8080/v1 --only update-basics\n');
  });

  test('folds what follows from another failure under it', () => {
    const folded = textOf(REPORT_WITH_CAUSES);
    expect(folded).toContain('\n\nFailed (3)\n  ✗ list-succeeds (must;');
    expect(folded).toContain(
      '    The list is not a JSON array.\n    1 more failure, probably because of list-succeeds:\n      ✗ item-pet-id (must; Resources and their fields, InventoryItem): PATCH /inventory/9007199254740993',
    );
    expect(folded.match(/item-pet-id/g)).toHaveLength(1);
  });

  test('lists the other requirements in brief', () => {
    expect(text).toContain('? limit-renews (must; Limits, Rate limits by plan): A window boundary');
    expect(text).toContain('✗ www-authenticate (should; RFC 9110, section 11.6.1): A 401 came without');
    expect(text).toContain('Failed as the baseline expects (1)\n  ✗ update-exact-pet');
    expect(text).toContain(
      '  2  No key of the plan Business was given. (minute-limit-business, day-limit-business)',
    );
    expect(text).toContain('could not be restored');
    expect(text).toMatch(/^should +1 fail, [0-9]+ pass$/m);
  });
});

describe('the verdict on a client', () => {
  const text = textOf(SAMPLE_CERTIFY_REPORT);

  test('shows each failure with all scenarios in which it was seen, up to five', () => {
    const messages = Array.from({ length: 7 }, (_, index) => `Scenario ${index}: it came too early. Wait.`);
    const requirements = SAMPLE_CERTIFY_REPORT.requirements.map((requirement) =>
      requirement.id === 'client-waits'
        ? {
            ...requirement,
            findings: messages.map((message) => ({ message })),
            tally: { violated: 7, judged: 12, of: 'scenarios' as const },
          }
        : requirement,
    );
    const many = textOf(withRequirements(SAMPLE_CERTIFY_REPORT, requirements));
    const shown = messages.slice(0, 5).map((message) => `    ${message}\n`);
    expect(many).toContain(` Seen in 7 of 12 scenarios, 1 in 2.\n${shown.join('')}`);
  });

  test('lists the scenarios that did not pass, advice and reasons', () => {
    expect(text).toContain(
      'Scenarios not passed (5 of 14)\n  ✗ refused-update Update: 400 (30 requests, 0.9 s)',
    );
    expect(text).toContain(
      '  – never-run A scenario that judged nothing (0 requests, 0.0 s): Nothing was sent.',
    );
    expect(text).not.toContain('limited-several');
    expect(text).toMatch(/client-backs-off \(should;.*by a factor such as 2 and add jitter\.$/m);
    expect(text).toContain('? client-exact-pet-id');
    expect(text).toContain('  1  The client gave up at the first 429. (client-stops-trying)');
    expect(text).toContain('63 requests in 14 scenarios, 36.6 s');
  });

  test('says how clients came back that were refused together', () => {
    const [, block = ''] = text.split('How 4 clients that are refused together come back\n');
    expect(block).toContain('All 4 came back from 14 ms before to 11 ms after Retry-After: 2 had passed');
    expect(block).toContain('In 3 of 3 waits a client was early, by 13 ms (14 ms at most)');
  });
});

describe('the verdict on a target under load', () => {
  const text = textOf(SAMPLE_LOAD_REPORT);

  test('has a block for each scenario, in their order', () => {
    const heads = SAMPLE_LOAD_REPORT.scenarios.map(({ id, title }) => `${id}: ${title}`);
    const blocks = text.split('\n\n').map((block) => block.split('\n')[0]?.slice(2));
    expect(blocks.filter((head) => heads.includes(head ?? ''))).toEqual(heads);
  });

  test('shows rate, times, statuses and losses of each round', () => {
    expect(text).toMatch(
      /\? ramp: .*\n.*\n {2}1001\/s due, 1001\/s sent, 968\.9\/s answered 2xx, 26\.9\/s answered otherwise, 5\/s lost\n {2}40030 sent: 38755 × 200, 1075 × 503; 200 lost \(100 × connection reset, 100 × timeout\)\n {2}p50 3\.56 ms, p99 \S+ ms, p99\.9 \S+ ms, max \S+ ms\n {2}answered 2xx: p50 /,
    );
    expect(text).toMatch(/ {2}Round 1 of 3\n {4}7075\/s sent in a closed loop, 7075\/s answered 2xx\n/);
    expect(text).toMatch(
      / {2}Round 3 of 3: 7181\/s sent in a closed loop, 7181\/s answered 2xx; 143623 sent: 143623 × 200; 0 lost; p50 /,
    );
    expect(text).toContain('  Capacity 1300/s\n');
  });

  test('shows what was crossed, what is not decided and why, and not what held', () => {
    expect(text).toContain('  ✗ p99 < 10 ms: crossed, measured 45.7 ms\n');
    expect(text).not.toContain('p50 < 10 ms');
    expect(text).toContain('  ? errors < 1 %: not decided, measured 0.2 %\n');
    expect(text.match(/The generator sent 212 of 41200/g)).toHaveLength(1);
    expect(text).toContain('  ✗ free#2: 64 of 60 accepted in a minute\n');
    expect(text).toContain('  – The target has no control URL');
  });

  test('counts the requirements that load does not judge, and does not list them', () => {
    expect(text).toMatch(/^must +1 fail, [0-9]+ skipped, [0-9]+ pass$/m);
    expect(text).not.toContain('No load scenario judges it');
    expect(text).toContain('✗ limit-under-concurrency (must;');
  });
});

const { herd: _herd, power: _power, ...CLIENT_ALONE } = SAMPLE_CERTIFY_REPORT;

test.each<readonly [report: Report, blocks: readonly string[], effort: string]>([
  [{ ...SAMPLE_REPORT, verdict: 'conformant' }, [], '798 requests in 97.3 s'],
  [
    { ...CLIENT_ALONE, verdict: 'certified', scenarios: CLIENT_ALONE.scenarios.slice(0, 1) },
    [],
    '1 request in 1 scenario, 36.6 s',
  ],
  [
    {
      ...SAMPLE_LOAD_REPORT,
      verdict: 'conformant',
      scenarios: SAMPLE_LOAD_REPORT.scenarios
        .filter(({ id }) => id === 'capacity')
        .map((scenario) => Object.assign({}, scenario, { measurements: [] })),
      budget: { announced: 2, spent: 1 },
    },
    ['✓ capacity: Highest rate that keeps the objective', '  Capacity 1300/s', ''],
    '1 request in 1 scenario, 881.6 s',
  ],
])('%#: the verdict is short if all is well', (report, blocks, effort) => {
  const passed = report.requirements.filter(({ outcome }) => outcome === 'pass');
  const must = passed.filter(({ level }) => level === 'must').length;
  const well = withRequirements({ ...report, scope: 'all is well', problems: [] }, passed);
  expect(textOf(well)).toBe(
    [
      '✓ all is well',
      '',
      ...blocks,
      `must     ${must} pass`,
      `should   ${passed.length - must} pass`,
      'observe  none',
      effort,
      '',
    ].join('\n'),
  );
});

describe.each(SAMPLES)('the verdict on any %s', (_subject, sample) => {
  const text = textOf(sample);

  test('says verdict and scope once, first', () => {
    const verdict = `✗ ${sample.scope}`;
    expect(text.startsWith(`${verdict}\n`)).toBe(true);
    expect(text.split(verdict)).toHaveLength(2);
  });

  test('colours only if it is asked to', () => {
    expect(text).not.toMatch(BESIDE_LINE_FEED);
    const coloured = textOf(sample, true);
    expect(coloured).toContain('\u001b[31m');
    expect(stripVTControlCharacters(coloured)).toBe(text);
  });

  test('lets no control character through', () => {
    const hostile = textOf(hostileOf(sample));
    expect(hostile).not.toMatch(BESIDE_LINE_FEED);
    expect(hostile).toContain(String.raw`\u001b[2J`);
    expect(hostile.split('\n')).toHaveLength(textOf(hostileOf(sample, 'plain')).split('\n').length);
  });
});
