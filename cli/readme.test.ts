import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, test } from 'vitest';

import { engineObstacle } from '../fixtures/container-engine.test-data.ts';
import { startReferenceServer, type RunningServer } from '../reference-server/index.ts';

const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));
const BIN = join(REPOSITORY, 'node_modules', '.bin');

/** Running the tests or installing within a test would not end, and others have a step or a test of their own. */
const RUN_ELSEWHERE = new Set([
  'npm ci && npm test',
  'npm run check',
  // cli/prove/kill-matrix.test.ts runs it.
  'npx stockcheck prove --report proof',
  // cli/deploy.test.ts checks what they read.
  'docker compose up --detach --wait',
  'kubectl apply --filename deploy/kubernetes',
]);
/** In `dist/` before anything else runs, since the vitest binding is imported from there. */
const BUILD = 'npm run build';

const obstacle = await engineObstacle();

interface Section {
  readonly title: string;
  readonly text: string;
  readonly blocks: readonly (readonly Command[])[];
}

interface Command {
  readonly line: string;
  readonly exitCode: number | 'runs until Ctrl-C';
}

interface ExampleFile {
  readonly name: string;
  readonly text: string;
}

const README = readFileSync(join(REPOSITORY, 'README.md'), 'utf8');
const EXAMPLE_FILES = [...README.matchAll(/^```\w+ title=(?<name>\S+)\n(?<text>[^]*?)^```$/gm)].map(
  ({ groups }): ExampleFile => ({ name: groups?.['name'] ?? '', text: groups?.['text'] ?? '' }),
);
const SECTIONS = README.split(/^(?=##+ )/m).map((text): Section => ({
  title: /^#+ (?<title>.*)$/m.exec(text)?.groups?.['title'] ?? '',
  text,
  blocks: [...text.matchAll(/^```sh\n(?<lines>[^]*?)^```$/gm)].map(({ groups }) =>
    (groups?.['lines'] ?? '').trim().split('\n').map(readCommand),
  ),
}));

function readCommand(text: string): Command {
  const [, line = text, note = ''] = /^(.*?) # (.*)$/.exec(text) ?? [];
  if (note === 'until Ctrl-C') {
    return { line, exitCode: 'runs until Ctrl-C' };
  }
  return { line, exitCode: Number(/^exits (\d+)$/.exec(note)?.[1] ?? 0) };
}

/** A project of a vendor, with stockcheck and vitest installed in it. */
function makeProject(files: readonly ExampleFile[], server: RunningServer): string {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-readme-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(REPOSITORY, join(modules, 'stockcheck'));
  symlinkSync(join(REPOSITORY, 'node_modules', 'vitest'), join(modules, 'vitest'));
  symlinkSync(join(REPOSITORY, 'bin', 'stockcheck.js'), join(modules, '.bin', 'stockcheck'));
  symlinkSync(join(BIN, 'vitest'), join(modules, '.bin', 'vitest'));
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  for (const { name, text } of files) {
    writeFileSync(join(directory, name), atServer(text, server));
  }
  return directory;
}

/** The addresses that `stockcheck serve` has by default stand for those of a server on free ports. */
function atServer(text: string, { url, controlUrl }: RunningServer): string {
  return text.replaceAll('http://127.0.0.1:8080/v1', url).replaceAll('http://127.0.0.1:9090', controlUrl);
}

/** What npm, vitest or stockcheck would take from this test run instead of the directory they are started in. */
const NOT_INHERITED = /^(?:npm_|INIT_CWD$|NODE|VITE|TEST$|DEV$|PROD$|MODE$|STOCKCHECK_)/i;

function environmentIn(directory: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))),
    PATH: [BIN, process.env['PATH']].join(delimiter),
    STOCKCHECK_STATE_DIR: join(directory, 'state'),
    GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
  };
}

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs a line in bash, and presses Ctrl-C as soon as the output holds `interruptAt`. */
async function run(line: string, directory: string, home: string, interruptAt?: string): Promise<Ended> {
  const child = spawn('bash', ['-c', line], {
    cwd: directory,
    env: environmentIn(home),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, which Ctrl-C reaches as a whole.
    detached: true,
  });
  let output = '';
  let interrupted = false;
  const onData = (data: Buffer): void => {
    output += data.toString();
    if (interruptAt !== undefined && !interrupted && output.includes(interruptAt)) {
      interrupted = true;
      interruptGroup(child);
    }
  };
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  await once(child, 'close');
  return { exitCode: child.exitCode, output };
}

const INCONCLUSIVE = 3;

/** Other tests may hold up the generator of `load`, which then says so instead of passing. */
function isHeldUp({ output }: Ended): boolean {
  return output.includes('not to be signed: The generator fell behind');
}

/** A server that is started beside others. */
function onFreePorts(command: string): string {
  if (command.includes('docker run')) {
    return command.replace('--publish 8080:8080', '--publish 8080');
  }
  return command.includes('--port') ? command : `${command} --port 0 --control-port 0`;
}

function needsEngine(command: string): boolean {
  return /^npm run image|^docker | --image /.test(command);
}

function interruptGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) {
    process.kill(-pid, 'SIGINT');
  }
}

beforeAll(async () => {
  const { exitCode, output } = await run(BUILD, REPOSITORY, tmpdir());
  if (exitCode !== 0) {
    throw new Error(`${BUILD} failed:\n${output}`);
  }
});

describe.concurrent.each(SECTIONS.filter(({ blocks }) => blocks.length > 0))('$title', ({ text, blocks }) => {
  const files = EXAMPLE_FILES.filter(({ name }) => text.includes(name));
  const cleanUp: (() => Promise<void>)[] = [];

  afterAll(async () => {
    await Promise.all(cleanUp.map((step) => step()));
  });

  test.for(blocks.map((commands) => ({ title: commands[0]?.line ?? '', commands })))(
    '$title',
    async ({ commands }, { expect, skip }) => {
      if (obstacle !== null && commands.some(({ line }) => needsEngine(line))) {
        console.warn(`SKIPPED: ${commands.map(({ line }) => line).join('; ')}. ${obstacle}`);
        skip(obstacle);
      }
      const server = await startReferenceServer();
      const project = makeProject(files, server);
      cleanUp.push(async () => {
        await server.close();
        rmSync(project, { recursive: true });
      });
      const settings: string[] = [];
      for (const { line, exitCode } of commands) {
        const command = atServer(line, server).replace(/^npm ci && npm start$/, 'npm start');
        if (command.startsWith('export ')) {
          settings.push(command);
        } else if (!RUN_ELSEWHERE.has(command) && command !== BUILD) {
          const directory = command.startsWith('npm ') ? REPOSITORY : project;
          const whole = [...settings, command].join('; ');
          if (command.includes('--driver none')) {
            const { output } = await run(whole, directory, project, 'Authorization: Bearer');
            expect(output, command).toContain('Finished: judging what was sent.');
          } else if (exitCode === 'runs until Ctrl-C') {
            const { output } = await run(onFreePorts(whole), directory, project, 'stop it');
            expect(output, command).toMatch(/^target +http:/m);
          } else {
            const ended = await run(whole, directory, project);
            const expected = isHeldUp(ended) ? INCONCLUSIVE : exitCode;
            expect(ended.exitCode, `${command}\n${ended.output}`).toBe(expected);
          }
        }
      }
    },
  );
});

test('the driver in the README is the template', ({ expect }) => {
  const template = readFileSync(join(REPOSITORY, 'examples', 'clients', 'driver.py'), 'utf8');
  expect(EXAMPLE_FILES.find(({ name }) => name === 'driver.py')?.text).toBe(template);
});

test('the README holds commands and files', ({ expect }) => {
  expect(SECTIONS.flatMap(({ blocks }) => blocks.flat()).length).toBeGreaterThan(15);
  expect(EXAMPLE_FILES.map(({ name }) => name)).toEqual([
    'stockcheck.config.json',
    'baseline.json',
    'driver.py',
    'load.config.json',
    'conformance.test.ts',
  ]);
});
