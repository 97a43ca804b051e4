import { describe, expect, test } from 'vitest';

import { disableColor, wantsColor } from './text-output.ts';

describe('wantsColor', () => {
  test.each([
    [true, {}, true],
    [false, {}, false],
    [undefined, {}, false],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('on a terminal: %s, with %j: %s', (isTTY, environment, wanted) => {
    expect(wantsColor(isTTY === undefined ? {} : { isTTY }, environment)).toBe(wanted);
  });

  test('is false after disableColor', () => {
    const environment = { FORCE_COLOR: '1' };
    disableColor(environment);
    expect(wantsColor({ isTTY: true }, environment)).toBe(false);
  });
});
