import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { Alteration } from '../../reference-server/index.ts';
import { endOfBinary, readReport, startBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { byPetId, journalsIn, startTarget, watchRequests, writeJson } from '../verify/run.test-data.ts';

// Longer than anybody waits.
const ENDLESS = ['--duration', '1h'];
const LIMITS = { perMinute: 1_000_000, perDay: 10_000_000 };

/** Calls `act` when the service gets its nth update. */
function atUpdate(nth: number, act: () => void): Alteration {
  let seen = 0;
  return {
    service: (service) =>
      watchRequests(service, ({ method }) => {
        seen += Number(method === 'PATCH');
        if (seen === nth && method === 'PATCH') {
          act();
        }
      }),
  };
}

const LATENCY = ['--ramp-up', '0', '--writes', '60%', '--rate', '300'];

test.each([
  ['SIGINT', 'a control URL', true, 'mixed', []],
  ['SIGTERM', 'keys of its own', false, 'latency', [...LATENCY, '--threads', '2']],
] as const)(
  '%s in the middle, with %s, leaves a report of what was measured, and the pets as they were',
  async (signal, _way, control, scenario, more) => {
    const directory = temporaryDirectory();
    let child: ReturnType<typeof startBinary> | undefined;
    const target = await startTarget({
      keys: [{ key: 'wide', plan: 'enterprise', ...LIMITS }],
      control,
      alterations: [atUpdate(150, () => child?.kill(signal))],
    });
    const keys = { enterprise: [{ key: 'wide', ...LIMITS }] };
    writeJson(directory, 'config.json', { ...target.description, keys, revokedKeys: [] });
    const before = byPetId(target.inventory());
    const words = ['--config', 'config.json', '--scenario', scenario, '--json', 'out.json', ...more];
    const started = startBinary(['load', ...words, ...ENDLESS], directory, {
      STOCKCHECK_STATE_DIR: directory,
    });
    onTestFinished(() => void started.kill('SIGKILL'));
    child = started;
    const { exitCode, stdout, stderr } = await endOfBinary(started);
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Interrupted: keeping what was measured');
    expect(stdout).toContain(scenario);

    const report = readReport(join(directory, 'out.json'), 'load');
    const [measured] = report?.scenarios[0]?.measurements ?? [];
    expect(report).toMatchObject({ verdict: 'inconclusive', scenarios: [{ outcome: 'inconclusive' }] });
    expect(report?.scenarios[0]?.findings).toEqual([]);
    expect(report?.problems).toContainEqual(expect.stringContaining('The run was interrupted'));
    expect(measured?.invalid).toContainEqual(expect.stringContaining('interrupted'));
    expect(measured?.answered).toBeGreaterThan(100);
    expect(measured?.answered).toBeLessThanOrEqual(target.requests.length);
    expect(measured?.durationSeconds).toBeLessThan(3_600);

    expect(byPetId(target.inventory())).toEqual(before);
    expect(journalsIn(directory)).toEqual([]);
  },
);
