import { describe, expect, test } from 'vitest';
import type { LimitWindow } from '../../../contract/load-result.ts';
import { drawn } from './figure.test-data.ts';
import { windowFigure } from './window-plot.ts';

describe('the plot of the windows', () => {
  const window: LimitWindow = {
    key: 'free#1',
    plan: 'free',
    window: 'minute',
    limit: 60,
    sent: 90,
    accepted: 60,
    refused: 30,
    lost: 0,
  };

  test('shows what was accepted as a percentage of the limit, and marks what is beyond', () => {
    const figure = windowFigure('a', [window, { ...window, key: '<b>', accepted: 90 }]);
    expect(figure.chart.bars).toMatchObject([
      { value: 100, color: 'var(--pass)' },
      { value: 150, color: 'var(--fail)' },
    ]);
    const svg = drawn(figure);
    expect(svg).toContain('>90 of 60</text>');
    expect(svg).toContain('>&lt;b&gt; minute</text>');
    expect(figure.caption).toBe('free#1 minute 60 of 60, <b> minute 90 of 60');
  });

  test('draws forty windows and counts the rest', () => {
    const windows = Array.from({ length: 45 }, () => window);
    expect(windowFigure('a', windows).caption).toMatch(/, and 5 more in the table$/);
    expect(windowFigure('a', [{ ...window, limit: 0, accepted: 0 }]).caption).toBe('free#1 minute 0 of 0');
  });
});
