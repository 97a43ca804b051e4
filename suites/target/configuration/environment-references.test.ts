import { describe, expect, test } from 'vitest';

import { readReferences } from './environment-references.ts';

const environment = { HOST: 'staging.example', KEY_1: 'k1$KEY_2', EMPTY: '' };

function read(value: unknown, skips: (path: readonly string[]) => boolean = () => false): unknown {
  return readReferences(value, { environment, source: 'config.json', skips });
}

describe('a configuration', () => {
  test('is read from the environment if it says so', () => {
    expect(
      read({
        target: 'https://${HOST}:${KEY_1}/v1',
        keys: { free: ['$KEY_1', '${KEY_1}', 'cost$HOST', '$', '${}', '$1', '$HOST/v1'] },
        pets: { missing: 5n },
        other: [null, true, 3],
      }),
    ).toEqual({
      target: 'https://staging.example:k1$KEY_2/v1',
      keys: { free: ['k1$KEY_2', 'k1$KEY_2', 'cost$HOST', '$', '${}', '$1', '$HOST/v1'] },
      pets: { missing: 5n },
      other: [null, true, 3],
    });
  });

  test('that names variables which are not there is refused with fields and variables', () => {
    expect(() => read({ target: '$NOWHERE', keys: { free: ['k', '${EMPTY}'] } })).toThrow(
      [
        'config.json: target is read from the environment variable NOWHERE, which is not set',
        'config.json: keys.free[1] is read from the environment variable EMPTY, which is empty',
      ].join('\n'),
    );
  });

  test('keeps what comes from elsewhere', () => {
    expect(read({ target: '$NOWHERE' }, ([field]) => field === 'target')).toEqual({ target: '$NOWHERE' });
  });
});
