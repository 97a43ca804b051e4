import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { afterAll, describe, test } from 'vitest';

import { BINARY, runBinary } from '../cli/run-binary.test-data.ts';
import { engineObstacle } from '../fixtures/container-engine.test-data.ts';
import { FAULTS, startReferenceServer, type RunningServer } from '../reference-server/index.ts';
import {
  EXAMPLE_FILES,
  exitCodesOf,
  isForContributors,
  PAGES,
  pageText,
  REPOSITORY,
  shownOutput,
  withoutNumbers,
  type Block,
} from './pages.test-data.ts';

const BIN = join(REPOSITORY, 'node_modules', '.bin');
/** The folder of what is published. */
const PACKAGE = dirname(dirname(BINARY));

/** Running the tests or installing within a test would not end, and others have a step or a test of their own. */
const RUN_ELSEWHERE = new Set([
  'npm ci',
  'npm ci && npm test',
  'npm test',
  'npm run check',
  // cli/package.system.test.ts installs the package as it is packed.
  'npm install stockcheck',
  // cli/prove/kill-matrix.system.test.ts runs it.
  'npx stockcheck prove --report proof',
  // cli/certify/sample-clients.system.test.ts judges these among others.
  "npx stockcheck prove --clients 'fetch.ts,faulty hammers'",
  'npx stockcheck certify --report report -- python3 driver.py',
  // cli/package.system.test.ts runs the same file with what is installed.
  'npx vitest run',
  // cli/deploy.integration.test.ts checks what they read.
  'docker compose up --detach --wait',
  'kubectl apply --filename deploy/kubernetes',
]);
/** Whether a line judges the whole service, as `npm start` does; here it judges less. */
const judgesAll = (line: string): boolean =>
  /^npx stockcheck verify (?!.*--(?:only|har)).*--report report$/.test(line);
const obstacle = await engineObstacle();

interface Command {
  readonly line: string;
  readonly exitCode: number | 'runs until Ctrl-C';
}

/** Commands that are run one after the other, as they stand in a block. */
interface Sequence {
  readonly title: string;
  /** What the reader has written before. */
  readonly files: readonly Block[];
  readonly isOfReadme: boolean;
  readonly commands: readonly Command[];
}

/** Each block of `sh`, unless the block of another page begins with it. */
const SEQUENCES = [
  ...new Map(
    PAGES.flatMap(({ path, text: page, sections }) =>
      sections
        .filter((section) => !isForContributors(section))
        .flatMap(({ title, blocks }) =>
          blocks
            .filter(({ language }) => language === 'sh')
            .map((block): [string, Sequence] => [
              block.text,
              {
                title: `${path}, ${title}`,
                isOfReadme: path === 'README.md',
                files: EXAMPLE_FILES.filter((file) => page.includes(file.title)),
                commands: block.text.trim().split('\n').map(readCommand),
              },
            ]),
        ),
    ),
  ).entries(),
]
  .filter(([text], _, all) => !all.some(([other]) => other !== text && other.startsWith(text)))
  .map(([, sequence]) => sequence);

function readCommand(text: string): Command {
  const [, line = text, note = ''] = /^(.*?) # (.*)$/.exec(text) ?? [];
  if (note === 'until Ctrl-C') {
    return { line, exitCode: 'runs until Ctrl-C' };
  }
  return { line, exitCode: Number(/^exits (\d+)$/.exec(note)?.[1] ?? 0) };
}

/** A project of a vendor, with stockcheck and vitest installed in it. */
function makeProject(files: readonly Block[], server: RunningServer): string {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-pages-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(PACKAGE, join(modules, 'stockcheck'));
  mkdirSync(join(directory, 'examples'));
  symlinkSync(join(REPOSITORY, 'examples', 'clients'), join(directory, 'examples', 'clients'));
  symlinkSync(join(REPOSITORY, 'node_modules', 'vitest'), join(modules, 'vitest'));
  symlinkSync(BINARY, join(modules, '.bin', 'stockcheck'));
  symlinkSync(join(BIN, 'vitest'), join(modules, '.bin', 'vitest'));
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  for (const { title, text } of files) {
    writeFileSync(join(directory, title), atServer(text, server));
  }
  return directory;
}

/** The addresses that `stockcheck serve` has by default stand for those of a server on free ports. */
function atServer(text: string, { url, controlUrl }: RunningServer): string {
  return withPatience(text)
    .replaceAll('http://127.0.0.1:8080/v1', url)
    .replaceAll('http://127.0.0.1:9090', controlUrl);
}

/** Thresholds of response times that other tests on this machine cannot make anyone cross. */
function withPatience(text: string): string {
  return text.replaceAll(/\bp99<1s\b/g, 'p99<600s');
}

/** What npm, vitest or stockcheck would take from this test run instead of the directory they are started in. */
const NOT_INHERITED = /^(?:npm_|INIT_CWD$|NODE(?!_COMPILE_CACHE$)|VITE|TEST$|DEV$|PROD$|MODE$|STOCKCHECK_)/i;

function environmentIn(directory: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))),
    PATH: [join(directory, 'node_modules', '.bin'), BIN, process.env['PATH']].join(delimiter),
    STOCKCHECK_STATE_DIR: join(directory, 'state'),
    GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
  };
}

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/** A line that needs no more of a shell than its words. */
const PLAIN = /^stockcheck [^|&;<>$`"\\\n]*$/;

/** Runs a line to its end, in bash if it needs that. */
async function run(line: string, directory: string, home: string): Promise<Ended> {
  if (!PLAIN.test(line)) {
    return runInBash(line, directory, home);
  }
  const words = Array.from(line.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word);
  const { PATH = '', STOCKCHECK_STATE_DIR = '', GITHUB_STEP_SUMMARY = '' } = environmentIn(home);
  const environment = { PATH, STOCKCHECK_STATE_DIR, GITHUB_STEP_SUMMARY };
  const { exitCode, stdout, stderr } = await runBinary(words.slice(1), directory, environment);
  return { exitCode, output: stdout + stderr };
}

/** Runs a line in bash, and presses Ctrl-C as soon as the output holds `interruptAt`. */
async function runInBash(
  line: string,
  directory: string,
  home: string,
  interruptAt?: string,
): Promise<Ended> {
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

/** The lines that a page shows and a command has not printed; what could be observed depends on the machine's load. */
function linesNotIn(shown: string, { output }: Ended): readonly string[] {
  const printed = new Set(withoutNumbers(output).split('\n'));
  return withoutNumbers(shown)
    .split('\n')
    .filter((line) => !printed.has(line) && !line.startsWith('observe '));
}

/** Commands whose requests stand in the table on what a run costs, with the row. */
const COSTS: ReadonlyMap<string, string> = new Map([
  ['npx stockcheck verify --profile safe', '`safe`'],
  ['npx stockcheck verify --profile standard', '`standard`, Business key'],
  ['npm ci && npm start', '`full`, with control URL'],
]);

/** The requests in a row of that table. */
function requestsOnPage(row: string): number {
  const cells = pageText('docs/staging.md').match(new RegExp(`^\\| ${row} +\\| +(?:about )?([\\d,]+) `, 'm'));
  return Number((cells?.[1] ?? '').replace(',', ''));
}

/** How far the requests of a run are from what the page says, as a share of that. */
function beyondPage(row: string, { output }: Ended): number {
  const requests = Number(/^(?<requests>\d+) requests in /m.exec(output)?.groups?.['requests']);
  return Math.abs(requests / requestsOnPage(row) - 1);
}

describe.concurrent('a command of a page', () => {
  const cleanUp: (() => Promise<void>)[] = [];
  // Pages that need the image build it once for all.
  let imageBuilt: Promise<Ended> | undefined;

  afterAll(async () => {
    await Promise.all(cleanUp.map((step) => step()));
  });

  async function prepare(files: readonly Block[], fault?: string): Promise<[RunningServer, string]> {
    const alterations = FAULTS.filter(({ id }) => id === fault).map(({ alter }) => alter);
    const server = await startReferenceServer({ alterations });
    const project = makeProject(files, server);
    cleanUp.push(async () => {
      await server.close();
      rmSync(project, { recursive: true });
    });
    return [server, project];
  }

  test.for(SEQUENCES.map((sequence) => ({ ...sequence, first: sequence.commands[0]?.line })))(
    '$title: $first',
    async ({ files, commands, isOfReadme }, { expect, skip }) => {
      if (obstacle !== null && commands.some(({ line }) => needsEngine(line))) {
        console.warn(`SKIPPED: ${commands.map(({ line }) => line).join('; ')}. ${obstacle}`);
        skip(obstacle);
      }
      const [server, project] = await prepare(files);
      const settings: string[] = [];
      for (const { line, exitCode } of commands) {
        const command = atServer(line, server).replace(/^npm ci && npm start$/, 'npm start');
        if (command.startsWith('export ')) {
          settings.push(command);
        } else if (!RUN_ELSEWHERE.has(command)) {
          const directory = command.startsWith('npm ') ? REPOSITORY : project;
          // npx takes as long as the program itself; that it finds it shows in the README.
          const direct = isOfReadme ? command : command.replace(/^npx (?=stockcheck|vitest)/, '');
          const whole = [...settings, judgesAll(line) ? `${direct} --only update-sets` : direct].join('; ');
          if (command.includes('--driver none')) {
            const { output } = await runInBash(whole, directory, project, 'Authorization: Bearer');
            expect(output, command).toContain('Finished: judging what was sent.');
          } else if (exitCode === 'runs until Ctrl-C') {
            // The proxy takes a free port by itself.
            const free = command.includes('stockcheck watch') ? whole : onFreePorts(whole);
            const { output } = await runInBash(free, directory, project, 'stop it');
            expect(output, command).toMatch(/^(?:target +|Passing )http:/m);
          } else {
            const ended = await (command === 'npm run image'
              ? (imageBuilt ??= run(whole, directory, project))
              : run(whole, directory, project));
            const expected = exitCodesOf(ended.output, exitCode);
            expect(expected, `${command}\n${ended.output}`).toContain(ended.exitCode);
            const row = COSTS.get(line);
            expect(row === undefined ? 0 : beyondPage(row, ended), command).toBeLessThan(0.2);
            expect(command === 'npm start' ? linesNotIn(shownOutput('npm-start'), ended) : []).toEqual([]);
          }
        }
      }
    },
  );

  test('finds the violation that the README shows', async ({ expect }) => {
    const [{ url, controlUrl }, project] = await prepare([], 'update-adds');
    const ended = await run(
      `npx stockcheck verify ${url} --control ${controlUrl} --only update-sets --no-color`,
      project,
      project,
    );
    expect(linesNotIn(shownOutput('update-adds'), ended), ended.output).toEqual([]);
    expect(ended.exitCode).toBe(1);
  });
});

test('what runs cost is compared with the page', ({ expect }) => {
  const lines = new Set(SEQUENCES.flatMap(({ commands }) => commands).map(({ line }) => line));
  expect([...COSTS.keys()].filter((line) => !lines.has(line))).toEqual([]);
});

/** A file in the pages, and the template that it is. */
test.for([
  ['driver.py', join('clients', 'driver.py')],
  ['conformance.test.ts', join('vitest', 'conformance.test.ts')],
] as const)('%s in the pages is the template', ([name, path], { expect }) => {
  const text = EXAMPLE_FILES.find(({ title }) => title === name)?.text.replace("'./", "'../");
  expect(text).toBe(readFileSync(join(REPOSITORY, 'examples', path), 'utf8'));
});

test('the pages hold commands and files', ({ expect }) => {
  expect(SEQUENCES.flatMap(({ commands }) => commands).length).toBeGreaterThan(40);
  expect(EXAMPLE_FILES.map(({ title }) => title).toSorted()).toEqual([
    'baseline.json',
    'conformance.test.ts',
    'driver.py',
    'dsse.py',
    'follow.js',
    'judge.js',
    'load.config.json',
    'stockcheck.config.json',
    'traffic.har',
  ]);
});
