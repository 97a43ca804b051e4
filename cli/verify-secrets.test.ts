import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { SEED_KEYS } from '../fixtures/seed.ts';
import {
  startTarget,
  temporaryDirectory,
  verify,
  withoutErrorCode,
  quantityAsString,
} from './verify.test-data.ts';

/** Texts in which a key would be known again. */
function traces(key: string): readonly string[] {
  return [key.toLowerCase(), key.slice(0, -1).toLowerCase(), btoa(key).replace(/=+$/, '').toLowerCase()];
}

test.each([
  ['with issued keys', true, ['--only', '*-limit-free', '--only', 'authentication', '--only', 'errors']],
  [
    'with the configured keys only',
    false,
    ['--profile', 'standard', '--only', 'authentication', '--only', 'errors'],
  ],
] as const)(
  'no key is shown in a report or on the terminal, though the target repeats each: %s',
  async (_circumstance, control, words) => {
    const secrets = new Set(SEED_KEYS.map(({ key }) => key));
    const { description } = await startTarget({
      control,
      alterations: [
        quantityAsString,
        withoutErrorCode,
        {
          parts: ({ keys }) => ({
            keys: {
              ...keys,
              issue: (plan, limits) => {
                const record = keys.issue(plan, limits);
                secrets.add(record.key);
                return record;
              },
            },
          }),
          service: (service) => ({
            ...service,
            respond: async (request) => {
              const response = await service.respond(request);
              const at = request.headers.findIndex((name) => name.toLowerCase() === 'authorization');
              const sent = at === -1 ? '' : (request.headers[at + 1] ?? '');
              return { ...response, headers: [...response.headers, 'X-Repeated', sent] };
            },
          }),
        },
      ],
    });
    const directory = temporaryDirectory();
    const { exitCode, stdout, stderr } = await verify(
      description,
      ['--report', 'report', ...words],
      directory,
    );
    expect(exitCode).toBe(1);
    expect(readdirSync(join(directory, 'report')).toSorted()).toEqual([
      'junit.xml',
      'report.html',
      'report.json',
      'report.md',
    ]);
    const texts = [
      { name: 'stdout', text: stdout },
      { name: 'stderr', text: stderr },
      ...['out.json', ...readdirSync(join(directory, 'report')).map((name) => join('report', name))].map(
        (name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }),
      ),
    ];
    const shown = texts.flatMap(({ name, text }) => {
      const low = text.toLowerCase();
      return [...secrets]
        .filter((key) => traces(key).some((trace) => low.includes(trace)))
        .map((key) => `${name}: ${key}`);
    });
    expect(shown).toEqual([]);
    expect(texts.find(({ name }) => name === 'out.json')?.text).toContain('free#');
  },
);
