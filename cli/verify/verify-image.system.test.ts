import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { onTestFinished, beforeAll, describe, expect, test } from 'vitest';

import { RUN_LABEL } from './image/container-guard.ts';
import { endOfBinary, runBinary, startBinary } from '../run-binary.test-data.ts';
import { docker, engineObstacle } from '../../fixtures/container-engine.test-data.ts';
import { seedKey } from './run.test-data.ts';

const BUILDER = fileURLToPath(new URL('../../tools/image.js', import.meta.url));
const execute = promisify(execFile);

/** A run of `verify --image` whose containers are distinguishable from all others. */
function imageRun() {
  const mark = `TEST_MARK=${randomUUID()}`;
  const all = (words: readonly string[]): readonly string[] => ['verify', '--image-env', mark, ...words];
  return {
    verify: (words: readonly string[]) => runBinary(all(words), tmpdir()),
    /** Starts it, and sends the signal as soon as stderr holds the text; returns the exit code. */
    interrupt: async (words: readonly string[], at: string, signal: NodeJS.Signals) => {
      const child = startBinary(all(words), tmpdir());
      onTestFinished(() => void child.kill('SIGKILL'));
      let output = '';
      child.stderr.on('data', (data: Buffer) => {
        const isNew = !output.includes(at);
        output += data.toString();
        if (isNew && output.includes(at)) {
          child.kill(signal);
        }
      });
      return (await endOfBinary(child)).exitCode;
    },
    /** How many of its containers the engine still has. */
    containers: async () => {
      const ids = await docker('ps', '--all', '--quiet', `--filter=label=${RUN_LABEL}`);
      // Another test may be removing its own.
      const environments = await Promise.allSettled(
        ids.split('\n').map((id) => docker('inspect', '--format={{.Config.Env}}', id)),
      );
      return environments.filter((one) => one.status === 'fulfilled' && one.value.includes(mark)).length;
    },
  };
}

const obstacle = await engineObstacle();
if (obstacle !== null) {
  console.warn(`SKIPPED: tests of verify --image. ${obstacle}`);
}

const IMAGE = 'stockcheck:test';
/** The same, with its control port reachable through another one. */
const IMAGE_WITH_CONTROL = 'stockcheck-with-control:test';
const BEFORE_IT_IS_THERE = 'Starting a container';
const IN_THE_MIDDLE = 'Budget:';

const SERVE_WITH_CONTROL = `
  import { spawn } from 'node:child_process';
  import { connect, createServer } from 'node:net';
  createServer((from) => from.pipe(connect(9090, '127.0.0.1')).pipe(from)).listen(9091, '0.0.0.0');
  spawn('stockcheck', ['serve', '--host', '0.0.0.0'], { stdio: 'inherit' });
`;
const DOCKERFILE_WITH_CONTROL = `FROM ${IMAGE}
ENTRYPOINT ${JSON.stringify(['node', '--input-type=module', '--eval', SERVE_WITH_CONTROL])}
`;

const keyOf = (plan: 'free' | 'business'): string => `${plan}=${seedKey(plan)}`;

describe.skipIf(obstacle !== null)('verify --image', () => {
  beforeAll(async () => {
    await execute(process.execPath, [BUILDER, '--quiet', '--tag', IMAGE]);
  });

  test('judges the image of the reference server, and leaves nothing behind', async () => {
    const run = imageRun();
    const words = ['--image', IMAGE, '--image-port', '8080', '--key', keyOf('business')];
    const { exitCode, stdout, stderr } = await run.verify([...words, '--profile', 'standard']);
    expect(stdout).toMatch(/conformant in profile standard: \d+ of \d+ MUSTs judged/);
    expect(stderr).toContain(`${IMAGE} is ready after`);
    expect(exitCode).toBe(0);
    expect(await run.containers()).toBe(0);
  });

  test('reaches a control port, and goes to the limits as it may on this machine', async () => {
    const building = execute('docker', ['build', '--quiet', '--tag', IMAGE_WITH_CONTROL, '-']);
    building.child.stdin?.end(DOCKERFILE_WITH_CONTROL);
    await building;
    const run = imageRun();
    const words = ['--image', IMAGE_WITH_CONTROL, '--image-control-port', '9091', '--key', keyOf('free')];
    const { exitCode, stdout } = await run.verify(words);
    expect(stdout).toMatch(/conformant in profile full: (\d+) of \1 MUSTs/);
    expect(exitCode).toBe(0);
    expect(await run.containers()).toBe(0);
  });

  describe('ends with exit code 3, one message and no container', () => {
    // They wait more than they work.
    test.concurrent.each<[string, readonly string[], readonly RegExp[]]>([
      [
        'if the image is not there',
        ['--image', '127.0.0.1:9/none:1'],
        [/^stockcheck: 127[.]0[.]0[.]1:9\/none:1 is not on this machine and cannot be pulled/m],
      ],
      [
        'if the container exits at once',
        ['--image', IMAGE, '--image-env', 'NODE_OPTIONS=--no-such-option'],
        [
          /^stockcheck: The container of stockcheck:test did not get ready: it exited with code 9/m,
          /^stockcheck: Its last lines:\nstockcheck: {3}.*--no-such-option/m,
        ],
      ],
      [
        'if the service listens on another port, and shows no key that the container has printed',
        ['--image', IMAGE, '--image-port', '8081'],
        [
          /nothing answers HTTP on its port[.] The image exposes 8080\/tcp, and --image-port is 8081/,
          /^stockcheck: +business key +business#1$/m,
        ],
      ],
      [
        'if nothing ever answers HTTP',
        ['--image', 'redis:7-bookworm', '--image-port', '6379', '--image-timeout', '1'],
        [/nothing answers HTTP on its port[.] It had 1 s; --image-timeout gives it more/],
      ],
    ])('%s', async (_circumstance, words, messages) => {
      const run = imageRun();
      const { exitCode, stdout, stderr } = await run.verify([...words, '--key', keyOf('business')]);
      for (const message of messages) {
        expect(stderr).toMatch(message);
      }
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(await run.containers()).toBe(0);
    });
  });

  test('is refused as impossible from within the image', async () => {
    const words = ['run', '--rm', IMAGE, 'verify', '--image', IMAGE, '--key', keyOf('free')];
    await expect(execute('docker', words)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^stockcheck: --image needs a container engine, and neither docker nor podman is on the PATH: .*\n$/m,
      ),
    });
  });

  test.each<[string, string, NodeJS.Signals]>([
    ['Ctrl-C before the container is there', BEFORE_IT_IS_THERE, 'SIGINT'],
    ['SIGTERM in the middle of the checks', IN_THE_MIDDLE, 'SIGTERM'],
  ])('leaves no container after %s', async (_moment, at, signal) => {
    const run = imageRun();
    const words = ['--image', IMAGE, '--key', keyOf('free'), '--profile', 'standard'];
    expect(await run.interrupt(words, at, signal)).toBe(130);
    expect(await run.containers()).toBe(0);
  });

  test('leaves no container when it is killed', async () => {
    const run = imageRun();
    const words = ['--image', IMAGE, '--key', keyOf('free'), '--profile', 'standard'];
    expect(await run.interrupt(words, IN_THE_MIDDLE, 'SIGKILL')).toBeNull();
    await expect.poll(() => run.containers(), { interval: 200, timeout: 60_000 }).toBe(0);
  });
});
