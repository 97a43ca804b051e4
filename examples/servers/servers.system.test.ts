import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../../cli/run-binary.test-data.ts';
import { verifyTarget, whileTargetRuns } from '../../cli/verify/run.test-data.ts';

const MOST_LINES = 250;

interface ExampleServer {
  readonly path: string;
  /** Why it cannot run here, or '' if it can. */
  readonly obstacle: string;
  readonly command: (path: string) => readonly [program: string, ...words: string[]];
}

const SERVERS: readonly ExampleServer[] = [
  {
    path: 'node/server.js',
    obstacle: '',
    command: (path) => [process.execPath, path],
  },
  {
    path: 'go/server.go',
    obstacle: outputOf('go', 'version') === '' ? 'Go is not installed here.' : '',
    // `go run` would not pass on that it is to end.
    command: (path) => {
      const program = join(temporaryDirectory(), 'server');
      const { status, stderr } = spawnSync('go', ['build', '-o', program, path], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return [program];
    },
  },
  {
    path: 'java/Server.java',
    obstacle:
      Number(/\d+/.exec(outputOf('java', '--version'))?.[0] ?? 0) < 17
        ? 'Java 17 is not installed here.'
        : '',
    command: (path) => ['java', path],
  },
  {
    path: 'python/server.py',
    obstacle:
      outputOf('python3', '-c', 'import fastapi, uvicorn; print("here")') === ''
        ? 'FastAPI or uvicorn is not installed here.'
        : '',
    command: (path) => ['python3', path],
  },
];

/** What a program prints, or '' if it is not there or fails. */
function outputOf(program: string, ...words: readonly string[]): string {
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}

test.for(SERVERS)('$path is conformant, and its control contract is whole', async (server, { skip }) => {
  skip(server.obstacle !== '', server.obstacle);
  const command = server.command(join(import.meta.dirname, server.path));
  const { exitCode, report } = await whileTargetRuns(command, (line) => {
    const { target = '', control = '' } =
      /^listening on (?<target>http:.*\/v1), control (?<control>http:.*)$/.exec(line)?.groups ?? {};
    const keys = { free: ['free-Maple-7Hq2'] };
    return verifyTarget({ target, control, keys, profile: 'full' }, ['--quiet']);
  });
  const { requirements = [], verdict } = report ?? {};
  const idsOf = (outcome: string) =>
    requirements.filter((one) => one.outcome === outcome && one.level !== 'observe').map(({ id }) => id);
  expect({ fail: idsOf('fail'), inconclusive: idsOf('inconclusive') }).toEqual({
    fail: [],
    inconclusive: [],
  });
  // It bans nobody, and sends neither of the two headers.
  const ofBans = ['keys-independent-in-ban', 'ban-ends', 'ban-answer'];
  expect(idsOf('skipped')).toEqual([...ofBans, 'sunset-header', 'deprecation-header']);
  expect({ exitCode, verdict }).toEqual({ exitCode: 0, verdict: 'conformant' });
});

test.for(SERVERS)('$path has fewer than 250 lines', ({ path }) => {
  const lines = readFileSync(join(import.meta.dirname, path), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThan(MOST_LINES);
});
