import { describe, expect, test } from 'vitest';
import { countOutcomes } from '../model/requirement-groups.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { renderVerdict } from './render-verdict.ts';

const PLAIN = { color: false, reportPaths: ['report/report.html'] };

describe('the verdict on a target under load', () => {
  const text = renderVerdict(SAMPLE_LOAD_REPORT, PLAIN);

  test('has a block for each scenario, in their order', () => {
    const heads = SAMPLE_LOAD_REPORT.scenarios.map(({ id, title }) => `${id} ${title}`);
    const blocks = text.split('\n\n').slice(1, 1 + heads.length);
    expect(blocks.map((block) => block.split('\n')[0]?.slice(2))).toEqual(heads);
  });

  test('shows rate, times, statuses and losses of each round', () => {
    expect(text).toMatch(
      /\? ramp .*\n {2}1001\/s due, 1001\/s sent, 968\.9\/s answered 2xx, 26\.9\/s answered otherwise, 5\/s lost\n {2}40030 sent: 38755 × 200, 1075 × 503; 200 lost \(100 × ECONNRESET, 100 × timeout\)\n {2}p50 3\.48 ms, p99 \S+ ms, p99\.9 \S+ ms, max \S+ ms\n {2}answered 2xx: p50 /,
    );
    expect(text).toMatch(/ {2}Round 3 of 3\n {4}7181\/s sent in a closed loop, 7181\/s answered 2xx\n/);
    expect(text).toContain('  capacity 1300/s\n');
  });

  test('shows what was crossed, what is not decided and why, and not what held', () => {
    expect(text).toContain('  ✗ p99 < 10 ms: crossed, measured 45.7 ms\n');
    expect(text).not.toContain('p50 < 10 ms');
    expect(text).toContain('  ? errors < 1 %: not decided, measured 0.2 %\n');
    expect(text.match(/The generator sent 212 of 41200/g)).toHaveLength(1);
    expect(text).toContain('  ✗ free#2: 64 of 60 accepted in a minute\n');
    expect(text).toContain('  – The target has no control URL');
    expect(text).toContain('  ✗ latency p99: 34.1 ms to 45.7 ms, +34.1 % (+22.0 % to +47.0 %): worse\n');
  });

  test('counts the requirements that load does not judge, and does not list them', () => {
    expect(text).toMatch(/^must +1 fail, [0-9]+ skipped, [0-9]+ pass$/m);
    expect(text).not.toContain('No load scenario judges it');
    expect(text).toContain('✗ limit-under-concurrency (must;');
  });

  test('is short if all is well', () => {
    const scenarios = SAMPLE_LOAD_REPORT.scenarios
      .filter(({ id }) => id === 'capacity')
      .map((scenario) => Object.assign({}, scenario, { measurements: [] }));
    const report = {
      ...SAMPLE_LOAD_REPORT,
      verdict: 'conformant',
      scope: 'every threshold held: 1 of 1 in 1 scenario',
      requirements: [],
      counts: countOutcomes([]),
      problems: [],
      comparison: null,
      scenarios,
      budget: { announced: 2, spent: 1 },
      durationSeconds: 1,
    } as const;
    expect(renderVerdict(report, { color: false, reportPaths: [] })).toBe(
      [
        '✓ every threshold held: 1 of 1 in 1 scenario',
        '',
        '✓ capacity Highest rate that keeps the objective',
        '  capacity 1300/s',
        '',
        'must     none',
        'should   none',
        'observe  none',
        '1 request in 1 scenario, 1.0 s',
        '',
      ].join('\n'),
    );
  });
});
