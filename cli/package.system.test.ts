import { execFile, type ExecFileException } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';

import manifest from '../package.json' with { type: 'json' };
import { renderFiles } from '../reports/formats/index.ts';
import { SAMPLE_LOAD_REPORT } from '../reports/model/sample-load-report.test-data.ts';
import { startReferenceServer, type ReferenceServerOptions } from './library/index.ts';

const ROOT = join(import.meta.dirname, '..');
const MOST_PACKAGES = 100;
const MOST_MEGABYTES = 30;
const YARN = '@yarnpkg/cli-dist@4.18.1';
const VITEST = [`vitest@${manifest.devDependencies.vitest}`, `vite@${manifest.devDependencies.vite}`];
const PLAYWRIGHT = `@playwright/test@${manifest.devDependencies['@playwright/test']}`;

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const WORK = mkdtempSync(join(tmpdir(), 'stockcheck-package-'));
afterAll(() => rmSync(WORK, { recursive: true, force: true }));

// Of a program that was ended from outside.
const CUT_OFF = -1;
// A registry that stalls is no fault of the package.
const INSTALLED_MILLISECONDS = 120_000;
// Ends what hangs before the test is ended itself, so that nothing stays behind.
const ENDED_MILLISECONDS = 500_000;

/** Runs a program as a user does: not as part of this project's npm script. */
function run(
  program: string,
  words: readonly string[],
  directory: string,
  timeout = ENDED_MILLISECONDS,
): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_ENV|VITEST)/i.test(name));
  return new Promise((resolve) => {
    execFile(
      program,
      words,
      {
        cwd: directory,
        env: { ...Object.fromEntries(own), ...yarnSettings },
        encoding: 'utf8',
        timeout,
        killSignal: 'SIGKILL',
      },
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({
          exitCode: typeof error?.code === 'number' ? error.code : error === null ? 0 : CUT_OFF,
          stdout,
          stderr,
        }),
    );
  });
}

let yarnSettings: Readonly<Record<string, string>> = {};

/** A way to install packages in a folder, and to run what they bring. */
interface PackageManager {
  readonly name: string;
  readonly install: (directory: string, packages: readonly string[]) => Promise<Ended>;
  readonly start: (directory: string, program: string, ...words: readonly string[]) => Promise<Ended>;
}

const inBin = (directory: string, program: string): string =>
  program === 'node' ? process.execPath : join(directory, 'node_modules', '.bin', program);

const npm: PackageManager = {
  name: 'npm',
  install: (directory, packages) =>
    run('npm', ['install', '--no-audit', '--no-fund', ...packages], directory, INSTALLED_MILLISECONDS),
  start: (directory, program, ...words) => run(inBin(directory, program), words, directory),
};

/** Where the other package manager is, if the registry gives it. */
const managers = join(WORK, 'managers');
mkdirSync(managers);
const fetched = await npm.install(managers, ['--prefix', managers, YARN]);
const why = fetched.exitCode === 0 ? '' : ' (skipped: the registry does not give it)';
const installed = new Map<string, Promise<string | null>>();
const yarnFile = join(managers, 'node_modules', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js');

/** With Plug'n'Play, which is its default and the strictest of all: what is not declared is not found. */
const yarn: PackageManager = {
  name: `yarn${why}`,
  install: (directory, packages) =>
    run(process.execPath, [yarnFile, 'add', ...packages], directory, INSTALLED_MILLISECONDS),
  start: (directory, program, ...words) =>
    run(
      process.execPath,
      [yarnFile, ...(program === 'node' ? [program] : ['run', program]), ...words],
      directory,
    ),
};

/** A package that is packed already, or one to come. */
const tarball = process.env['PACKAGE_UNDER_TEST'] ?? join(WORK, 'stockcheck.tgz');

beforeAll(async () => {
  const { stdout } = await run('npm', ['config', 'get', 'registry'], WORK);
  yarnSettings = {
    // It has a registry of its own otherwise.
    YARN_NPM_REGISTRY_SERVER: stdout.trim(),
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_GLOBAL_FOLDER: join(WORK, 'yarn'),
  };
  if (existsSync(tarball)) {
    return;
  }
  const { exitCode, stderr } = await run(process.execPath, ['tools/pack.js'], ROOT);
  if (exitCode !== 0) {
    throw new Error(`The package could not be packed: ${stderr}`);
  }
  cpSync(join(ROOT, '.package', 'stockcheck.tgz'), tarball);
});

/** A folder in which the package and others are installed; `null` if the registry stalled. */
async function install(manager: PackageManager, packages: readonly string[]): Promise<string | null> {
  const directory = mkdtempSync(join(WORK, `${manager.name.slice(0, 4)}-`));
  writeFileSync(
    join(directory, 'package.json'),
    '{"name":"app","version":"1.0.0","private":true,"type":"module"}',
  );
  writeFileSync(join(directory, 'yarn.lock'), '');
  const ended = await manager.install(directory, [tarball, ...packages]);
  if (ended.exitCode === CUT_OFF) {
    return null;
  }
  expect(ended).toMatchObject({ exitCode: 0 });
  cpSync(join(ROOT, 'examples'), directory, { recursive: true });
  return directory;
}

/**
 * A project with the package and others, and the examples, whose configuration names the target. With npm each test has one of
 * its own, and all of them what was installed once.
 */
async function project(
  { skip, onTestFinished }: TestContext,
  manager: PackageManager,
  packages: readonly string[],
  server: ReferenceServerOptions = {},
): Promise<string> {
  const name = [manager.name, ...packages].join(' ');
  const isStalled = fetched.exitCode === CUT_OFF;
  const ready = isStalled ? null : (installed.get(name) ?? install(manager, packages));
  if (ready !== null) {
    installed.set(name, ready);
  }
  const home = (await ready) ?? skip('The registry stalled.');
  const directory = manager === npm ? mkdtempSync(join(WORK, 'own-')) : home;
  if (directory !== home) {
    cpSync(home, directory, { recursive: true, filter: (path) => path !== join(home, 'node_modules') });
    symlinkSync(join(home, 'node_modules'), join(directory, 'node_modules'));
  }
  const { target, close } = await startReferenceServer(server);
  onTestFinished(close);
  writeFileSync(join(directory, 'stockcheck.config.json'), JSON.stringify({ ...target, profile: 'safe' }));
  return directory;
}

const LIBRARY = `
import { readFileSync } from 'node:fs';
import { verify } from 'stockcheck';
const report = await verify(JSON.parse(readFileSync('stockcheck.config.json', 'utf8')));
console.log(report.verdict, report.suite.version);
`;

/** One with npm, which installs for what follows as well, and one with yarn: what yarn finds, npm and pnpm find, too. */
const runnersFor = (manager: PackageManager): readonly string[] =>
  manager === npm ? [PLAYWRIGHT] : manager === yarn ? VITEST : [];

type Start = (program: string, ...words: readonly string[]) => Promise<Ended>;

/** Judges a server and a client with the command line, and the server with the library. */
async function useAll(directory: string, profile: string, node: string, start: Start): Promise<void> {
  const verified = await start('stockcheck', 'verify', '--profile', profile, '--quiet', '--report', 'report');
  expect(verified.exitCode).toBe(0);
  expect(verified.stdout).toMatch(new RegExp(`^✓ conformant in profile ${profile}`, 'm'));
  const certifying = 'certify --quiet --only list-empty --'.split(' ');
  const certified = await start('stockcheck', ...certifying, node, 'clients/driver.js');
  expect(certified.exitCode).toBe(0);
  expect(certified.stdout).toMatch(/^✓ certified/m);
  writeFileSync(join(directory, 'library.js'), LIBRARY);
  expect(await start('node', 'library.js')).toEqual({
    exitCode: 0,
    stdout: `conformant ${manifest.version}\n`,
    stderr: '',
  });
}

describe.concurrent.each([npm, yarn])('installed with $name into an empty folder', (manager) => {
  test.skipIf(manager !== npm && why !== '')('verify, certify, load and the library run', async (context) => {
    const directory = await project(context, manager, runnersFor(manager));
    const start: Start = (program, ...words) => manager.start(directory, program, ...words);
    await useAll(directory, 'safe', process.execPath, start);
    const loading = 'load --self --quiet --scenario latency --rate 20 --duration 1s --report load';
    const embedded = await start('stockcheck', ...loading.split(' '));
    expect(embedded.stdout).toContain('Report: load/report.html');
  });
});

/** The oldest Node that the package names, and one after the newest that runs the tests. */
const OTHER_NODES = ['22.19.0', '26.10.0'];

describe.concurrent.each(OTHER_NODES)('with Node %s', (version) => {
  test('verify, certify and the library run', async (context) => {
    const directory = await project(context, npm, runnersFor(npm));
    const name = `node-${process.platform}-${process.arch}`;
    const home = mkdtempSync(join(WORK, 'node-'));
    const brought = await run('npm', ['pack', `${name}@${version}`], home, INSTALLED_MILLISECONDS);
    if (brought.exitCode !== 0) {
      context.skip(`The registry does not give ${name} ${version}.`);
    }
    // Of thousands of files, one runs it.
    await run('tar', ['--extract', '--file', brought.stdout.trim(), 'package/bin/node'], home);
    const node = join(home, 'package', 'bin', 'node');
    expect(await run(node, ['--version'], directory)).toMatchObject({ stdout: `v${version}\n` });
    const stockcheck = join(directory, 'node_modules', 'stockcheck', 'bin', 'stockcheck.js');
    await useAll(directory, 'standard', node, async (program, ...words) => {
      const ended = await run(node, program === 'node' ? words : [stockcheck, ...words], directory);
      expect(ended.stderr).toBe('');
      return ended;
    });
  });
});

/** What the tests install beside the package. */
const isRunner = (path: string): boolean => path.includes('playwright');

/** The size of everything in a folder but for that, in bytes as they are on the disk. */
function bytesIn(directory: string): number {
  return globSync('**', { cwd: directory, exclude: isRunner }).reduce(
    (sum, path) => sum + lstatSync(join(directory, path)).blocks * 512,
    0,
  );
}

describe.concurrent('the package', () => {
  test('is light, and asks for what only some need', async (context) => {
    const directory = await project(context, npm, runnersFor(npm));
    const modules = join(directory, 'node_modules');
    const installed = globSync('{.,@*,**/node_modules,**/node_modules/@*}/*/package.json', { cwd: modules });
    const names = installed.filter((path) => !/^(?:\.bin|\.package-lock)/.test(path) && !isRunner(path));
    expect(new Set(names).size).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(bytesIn(modules) / 2 ** 20).toBeLessThanOrEqual(MOST_MEGABYTES);
    for (const [words, message] of [
      [
        ['worker', '--redis', 'redis://127.0.0.1:1'],
        /^stockcheck: stockcheck worker needs the package ioredis\..*: npm install ioredis@\S+\n$/,
      ],
      [
        ['serve', '--port', '0', '--control-port', '0', '--store', 'redis://127.0.0.1:1'],
        /^stockcheck: A store in Redis needs the package ioredis\..*: npm install ioredis@\S+\n$/,
      ],
    ] as const) {
      const ended = await npm.start(directory, 'stockcheck', ...words);
      expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
    }
  });

  test('draws the charts that the whole library draws', async (context) => {
    const directory = await project(context, npm, runnersFor(npm));
    writeFileSync(join(directory, 'sample.json'), JSON.stringify(SAMPLE_LOAD_REPORT));
    writeFileSync(
      join(directory, 'write.js'),
      `import { readFileSync } from 'node:fs';
       import { parseReport, writeReport } from 'stockcheck';
       await writeReport('drawn', parseReport(readFileSync('sample.json', 'utf8')));`,
    );
    expect(await npm.start(directory, 'node', 'write.js')).toMatchObject({ exitCode: 0, stderr: '' });
    const expected = (await renderFiles(SAMPLE_LOAD_REPORT)).get('report.html');
    expect(expected).toContain('<svg');
    expect(readFileSync(join(directory, 'drawn', 'report.html'), 'utf8')).toBe(expected);
  });

  test('has types that say what they should', async (context) => {
    const directory = await project(context, npm, runnersFor(npm));
    mkdirSync(join(directory, 'node_modules', '@types'), { recursive: true });
    symlinkSync(
      join(ROOT, 'node_modules', '@types', 'node'),
      join(directory, 'node_modules', '@types', 'node'),
    );
    writeFileSync(join(directory, 'typed.ts'), TYPED);
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const strictly = '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2025';
    const words = `${strictly} --types node --ignoreConfig typed.ts`.split(' ');
    expect(await run(process.execPath, [compiler, ...words], directory)).toMatchObject({
      exitCode: 0,
      stdout: '',
    });
  });
});

const TYPED = `
import { certify, checkCertificate, compare, load, startReferenceServer, verify, type VerifyEvent } from 'stockcheck';
import { conformance } from 'stockcheck/vitest';
import { conformance as inNode } from 'stockcheck/node-test';
import { conformance as inPlaywright } from 'stockcheck/playwright';
const server = await startReferenceServer({ faults: ['update-adds'] });
const events: VerifyEvent[] = [];
const report = await verify(server.target, { level: 'should', signal: AbortSignal.timeout(1), onEvent: (event) => events.push(event) });
const verdict: 'conformant' | 'nonconformant' | 'inconclusive' = report.verdict;
const certified: 'certified' | 'not-certified' | 'inconclusive' = (await certify(['true'])).verdict;
const rate: number | undefined = (await load(server.target, { scenarios: [{ scenario: 'latency', rate: 5 }] })).scenarios[0]?.spent;
const state: 'holds' | 'fails' | 'open' = checkCertificate('', { publicKey: '' }).state;
const trend: 'worse' | 'less' | 'not worse' = compare(report, report).trend;
for (const bind of [conformance, inNode, inPlaywright]) bind(server.target, { only: ['list'] });
// @ts-expect-error There is no such verdict.
const wrong: 'certified' = report.verdict;
// @ts-expect-error There is no such option.
await verify(server.target, { olny: [] });
console.log(verdict, certified, rate, trend, state, wrong);
`;

describe.concurrent.each([
  ['node:test', 'node', ['--test', '--test-reporter=tap', 'node-test/conformance.test.js']],
  ['Playwright', 'playwright', ['test', '--reporter=list', 'playwright/conformance.spec.ts']],
])('three lines for %s', (_runner, program, words) => {
  // One run shows both: what holds is green, and what does not is red.
  test('are green where the server conforms, and red with the requirement at fault where it does not', async (context) => {
    const directory = await project(context, npm, runnersFor(npm), {
      faults: ['quantity-as-string-once', 'status-capitalised'],
    });
    const { exitCode, stdout } = await npm.start(directory, program, ...words);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^ *(?:ok|✓) .*list-succeeds/m);
    expect(stdout).toMatch(/(?:not ok|✘|x).*item-quantity/);
    expect(stdout).toMatch(/(?:not ok|✘|x).*item-status/);
    expect(stdout).toContain('clause: Resources and their fields, InventoryItem');
  });
});

// Its project is that of another test.
describe(`three lines for vitest, with ${yarn.name}`, () => {
  test.skipIf(why !== '')('are green against a conformant server', async (context) => {
    const directory = await project(context, yarn, runnersFor(yarn));
    const tested = await yarn.start(directory, 'vitest', 'run', 'vitest/');
    expect(tested.stdout).toMatch(/Tests .*passed/);
  });
});
