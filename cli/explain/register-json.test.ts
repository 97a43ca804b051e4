import { expect, test } from 'vitest';

import { REQUIREMENTS } from '../../contract/requirements/index.ts';
import { registerJson } from './register-json.ts';

function idsOf(id: string | null): readonly string[] {
  const { requirements }: { readonly requirements: readonly { readonly id: string }[] } = JSON.parse(
    registerJson(id),
  );
  return requirements.map((row) => row.id);
}

test('the register as JSON has each row, and who judges it', () => {
  expect(idsOf(null)).toEqual(REQUIREMENTS.map(({ id }) => id));
  expect(JSON.parse(registerJson('retry-after-valid'))).toMatchObject({
    kind: 'register',
    requirements: [{ id: 'retry-after-valid', level: 'must', clause: 'Errors', area: 'retry' }],
  });
});

test('an area or a judge stands for its requirements', () => {
  const inArea = REQUIREMENTS.filter(({ area }) => area === 'versioning').map(({ id }) => id);
  expect(idsOf('versioning')).toEqual(inArea);
  expect(idsOf('rate-limit-header-presence')).toEqual(['header-limit', 'header-remaining', 'header-reset']);
});

test('an id that names nothing is bad usage', () => {
  expect(() => registerJson('limit')).toThrow('there is no requirement, check or area "limit"');
});
