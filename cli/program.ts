import { Command, CommanderError } from 'commander';

import { ConfigurationError } from '../suites/configuration-error.ts';
import { disableColor, wantsColor } from './color.ts';
import type { CertifyFlags } from './options/certify-options.ts';
import type { LoadFlags } from './options/load-flags.ts';
import type { ProveFlags } from './options/prove-options.ts';
import type { ServeFlags } from './options/serve-options.ts';
import { parseInteger } from './options/values.ts';
import type { WorkerFlags } from './options/worker-options.ts';
import type { VerifyFlags } from './options/verify-options.ts';
import { packageVersion } from './version.ts';

/**
 * Runs the command line.
 * @param words what stands after `stockcheck`
 * @returns the exit code
 * @throws {ConfigurationError} on bad usage
 */
export async function runProgram(words: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('stockcheck')
    .description('Judges implementations of the Petstore Inventory Service.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', PROGRAM_EXAMPLES);
  defineVerify(program, (code) => (exitCode = code));
  defineCertify(program, (code) => (exitCode = code));
  defineLoad(program, (code) => (exitCode = code));
  defineWorker(program, (code) => (exitCode = code));
  defineServe(program, (code) => (exitCode = code));
  defineExplain(program, (code) => (exitCode = code));
  defineProve(program, (code) => (exitCode = code));
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    if (error.exitCode === 0) {
      return 0;
    }
    if (error.code === 'commander.help') {
      return 2;
    }
    throw new ConfigurationError(usageMessage(error), { cause: error });
  }
  return exitCode;
}

type Done = (exitCode: number) => void;

// Commands are imported when they run: `--help` needs none of their dependencies.

function defineVerify(program: Command, done: Done): void {
  program
    .command('verify')
    .summary('judge an implementation')
    .description(
      'Judges an implementation of the service. Without a target it starts the embedded reference server and judges that.',
    )
    .argument('[TARGET]', 'base URL of the implementation, ending in /v1')
    .optionsGroup('Target:')
    .option('--config <file>', 'configuration (default: stockcheck.config.json, where there is one)')
    .option('--key <plan=key>', 'API key of a plan, or plan=key@perMinute/perDay; repeatable', collect)
    .option('--revoked-key <key>', 'key that was revoked; repeatable', collect)
    .option('--control <url>', 'base URL of the control contract')
    .option('--existing-pet <id>', 'petId whose quantity may be changed and restored; repeatable', collect)
    .option('--missing-pet <id>', 'petId that belongs to no entry')
    .option('--insecure', 'accept any TLS certificate')
    .option('--ca <file>', 'trust the certificates of this PEM file')
    .option('--header <name: value>', 'header field to add to every request; repeatable', collect)
    .option('--timeout <seconds>', 'longest wait for a response', '10')
    .optionsGroup('Image, in place of TARGET (takes a container engine):')
    .option('--image <name>', 'start a container of this image, judge it and remove it')
    .option('--image-port <port>', 'port of the service in the container (default: 8080)')
    .option('--image-control-port <port>', 'port of the control contract in the container')
    .option('--image-path <path>', 'base path of the service (default: /v1)')
    .option('--image-env <name=value>', 'environment variable of the container; repeatable', collect)
    .option('--image-timeout <seconds>', 'longest wait until the container is healthy (default: 60)')
    .optionsGroup('Scope:')
    .option('--profile <name>', 'safe (reads), standard (writes too) or full (exhausts limits)')
    .option('--only <pattern>', 'requirements, checks or areas to judge (glob); repeatable', collect)
    .option('--level <level>', 'what decides the verdict: must or should', 'must')
    .option('--baseline <file>', 'failures that are expected')
    .option('--long', 'judge the day limit in real time (17 minutes)')
    .option('--ban-wait <seconds>', 'longest wait for the end of a ban', '120')
    .option('--dry-run', 'print the budget of requests and stop')
    .optionsGroup('Output:')
    .option('--json <file>', 'write the report as JSON')
    .option('--report <dir>', 'write the report as HTML, JSON, JUnit XML and Markdown')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours')
    .addHelpText('after', VERIFY_EXAMPLES)
    .action(async (target: string | undefined, flags: VerifyFlags & ColorFlag) => {
      applyColor(flags);
      const { readVerifyOptions } = await import('./options/verify-options.ts');
      const options = readVerifyOptions(target, flags, {
        environment: process.env,
        directory: process.cwd(),
        stdout: process.stdout,
      });
      const { runVerify } = await import('./verify.ts');
      done(await runVerify(options));
    });
}

function defineCertify(program: Command, done: Done): void {
  program
    .command('certify')
    .summary('judge a client program')
    .description(
      'Judges a client: starts it once for each scenario against a server of its own, and looks at what it sends, when, and what it reports.',
    )
    .argument('[CMD...]', 'the client and its arguments, after --')
    .option('--driver <name>', 'exec (start it for each scenario), jsonl (one process) or none', 'exec')
    .option('--only <pattern>', 'scenarios, by id or by what they judge (glob); repeatable', collect)
    .option('--jobs <n>', 'scenarios side by side (default: 8)')
    .option('--patience <seconds>', 'silence after which a client is ended (default: 60; with none: 15)')
    .option('--level <level>', 'what decides the verdict: must or should', 'must')
    .option('--host <host>', 'address that the servers listen on', '127.0.0.1')
    .optionsGroup('Output:')
    .option('--config <file>', 'configuration; nothing in it concerns a client')
    .option('--json <file>', 'write the report as JSON')
    .option('--report <dir>', 'write the report as HTML, JSON, JUnit XML and Markdown')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours')
    .addHelpText('after', CERTIFY_EXAMPLES)
    .action(async (command: readonly string[], flags: CertifyFlags & ColorFlag) => {
      applyColor(flags);
      const { readCertifyOptions } = await import('./options/certify-options.ts');
      const options = readCertifyOptions(command, flags, {
        environment: process.env,
        directory: process.cwd(),
        stdout: process.stdout,
      });
      const { runCertify } = await import('./certify.ts');
      done(await runCertify(options));
    });
}

function defineLoad(program: Command, done: Done): void {
  program
    .command('load')
    .summary('measure a target under load')
    .description(
      'Runs load scenarios against a target, and watches whether the specification still holds. Without a target it loads an embedded reference server.',
    )
    .argument('[TARGET]', 'base URL of the implementation, ending in /v1')
    .optionsGroup('Load:')
    .option('--scenario <names>', 'scenarios to run (glob); repeatable, or with commas', collect)
    .option('--list', 'print the scenarios and stop')
    .option('--rate <n>', 'requests a second; of capacity, the first that is tried')
    .option('--duration <time>', 'time that is measured: 10, 10s, 5m or 1h')
    .option('--ramp-up <time>', 'time before that in which the rate rises')
    .option('--connections <n>', 'connections at once, at most')
    .option('--arrivals <process>', 'constant, or poisson as many independent users make it')
    .option('--writes <share>', 'share of requests that are updates: 0.2 or 20%')
    .option('--rounds <n>', 'how often each measurement is repeated')
    .option('--seed <n>', 'determines random arrivals')
    .option('--threshold <limit>', "such as p99<100ms, in place of the scenarios' own; repeatable", collect)
    .option('--baseline <file>', 'compare with an earlier report (JSON) of stockcheck load')
    .option('--tolerance <share>', 'change for the worse that --baseline lets pass', '5%')
    .optionsGroup('Fleet:')
    .option('--fleet <url>', 'divide the load among the workers of a fleet (redis://HOST:PORT)')
    .option('--fleet-workers <n>', 'workers to divide it among (default: those that are connected)')
    .optionsGroup('Safety:')
    .option('--i-may-load <host>', 'consent to load a host that is not this machine')
    .option('--max-rate <n>', 'requests a second, at most (default: 20000; not on this machine: 1000)')
    .option('--max-requests <n>', 'requests that a scenario may announce, at most')
    .option('--dry-run', 'print rates and budget and stop')
    .optionsGroup('Target:')
    .option('--config <file>', 'configuration (default: stockcheck.config.json, where there is one)')
    .option('--key <plan=key>', 'API key of a plan, or plan=key@perMinute/perDay; repeatable', collect)
    .option('--control <url>', 'base URL of the control contract')
    .option('--existing-pet <id>', 'petId whose quantity may be changed and restored; repeatable', collect)
    .option('--profile <name>', 'safe (reads), standard (writes too) or full (exhausts limits)')
    .option('--level <level>', 'what decides the verdict beside the thresholds: must or should', 'must')
    .option('--insecure', 'accept any TLS certificate')
    .option('--ca <file>', 'trust the certificates of this PEM file')
    .option('--header <name: value>', 'header field to add to every request; repeatable', collect)
    .option('--timeout <seconds>', 'longest wait for a response', '10')
    .optionsGroup('Output:')
    .option('--json <file>', 'write the report as JSON')
    .option('--report <dir>', 'write the report as HTML, JSON, JUnit XML, Markdown and OpenMetrics')
    .option('--openmetrics <file>', 'write the figures as OpenMetrics text')
    .option('--live [port]', 'follow the run on a page at http://127.0.0.1:PORT/ (default: a free port)')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours')
    .addHelpText('after', LOAD_EXAMPLES)
    .action(async (target: string | undefined, flags: LoadFlags & ColorFlag) => {
      applyColor(flags);
      const { readLoadOptions } = await import('./options/load-options.ts');
      const options = readLoadOptions(target, flags, {
        environment: process.env,
        directory: process.cwd(),
        stdout: process.stdout,
      });
      const { runLoadCommand } = await import('./load.ts');
      done(await runLoadCommand(options));
    });
}

function defineWorker(program: Command, done: Done): void {
  program
    .command('worker')
    .summary('join a load fleet')
    .description(
      'Joins a load fleet, and sends its share of whatever `stockcheck load --fleet` puts on a target, until SIGINT or SIGTERM.',
    )
    .option('--redis <url>', 'where the fleet meets: redis://HOST:PORT')
    .option('--name <name>', 'name in the fleet (default: host and process)')
    .addHelpText('after', WORKER_EXAMPLES)
    .action(async (flags: WorkerFlags) => {
      const { readWorkerOptions } = await import('./options/worker-options.ts');
      const options = readWorkerOptions(flags);
      const { runWorker } = await import('./worker.ts');
      done(await runWorker(options));
    });
}

function defineServe(program: Command, done: Done): void {
  program
    .command('serve')
    .summary('run the reference server')
    .description('Runs the reference server until SIGINT or SIGTERM, and prints its URLs and keys.')
    .option('--host <host>', 'address to listen on; the control port is always on loopback', '127.0.0.1')
    .option('--port <port>', 'port of the service; 0 for any that is free', '8080')
    .option('--control-port <port>', 'port of the control contract; 0 for any that is free', '9090')
    .option('--no-control', 'offer no control contract')
    .option(
      '--key <plan=key>',
      'API key in place of the seed keys, or plan=key@perMinute/perDay; repeatable',
      collect,
    )
    .option('--pets <n>', 'number of pets in the inventory', '24')
    .option('--seed <n>', 'seed of the inventory', '1')
    .option('--ban-after <n>', 'requests after a 429 that lead to a ban')
    .option('--ban-seconds <n>', 'length of a ban')
    .option('--ban-status <status>', 'status of the answers to a banned key: 401, 403 or 429')
    .option('--no-ban', 'ban no key')
    .option('--variant <names>', 'what the specification permits; repeatable, or with commas', collect)
    .option('--fault <name>', 'a violation of the specification (stockcheck prove --list)')
    .option('--store <url>', 'share limits, bans, keys, inventory and clock in a Redis: redis://HOST:PORT/DB')
    .option('--store-namespace <name>', 'tells services on one Redis apart (default: stockcheck)')
    .option('--workers <n>', 'serve from n processes on one port; needs --store')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (flags: ServeFlags) => {
      const { readServeOptions } = await import('./options/serve-options.ts');
      const options = readServeOptions(flags);
      const { runServe } = await import('./serve.ts');
      done(await runServe(options));
    });
}

function defineExplain(program: Command, done: Done): void {
  program
    .command('explain')
    .summary('print the requirement register, or one requirement')
    .description('Prints the requirement register, or what one requirement says and how it is checked.')
    .argument('[ID]', 'requirement to explain')
    .option('--no-color', 'no colours')
    .addHelpText('after', EXPLAIN_EXAMPLES)
    .action(async (id: string | undefined, flags: ColorFlag) => {
      applyColor(flags);
      const { runExplain } = await import('./explain.ts');
      done(runExplain({ id: id ?? null, color: wantsColor(process.stdout, process.env) }));
    });
}

function defineProve(program: Command, done: Done): void {
  program
    .command('prove')
    .summary('run the suite against every seeded fault and permitted variant')
    .description(
      'Runs the suite against servers with one seeded fault each, and against conformant servers that take each freedom of the specification, and prints the kill matrix.',
    )
    .optionsGroup('What to judge (default: every fault and every variant alone):')
    .option('--fault <pattern>', 'faults (glob); repeatable, or with commas', collect)
    .option('--variant <pattern>', 'permitted variants (glob); repeatable, or with commas', collect)
    .option('--with <variants>', 'variants that every server has; repeatable, or with commas', collect)
    .option(
      '--profile <name>',
      'judge in this profile only (default: a fault in the first of safe, standard and full that catches it, a conformant server in full)',
    )
    .option('--random <n>', 'draw n combinations of variants with a fault or with none')
    .option('--seed <n>', 'what they are drawn with (default: 1)')
    .option('--list', 'print all faults and variants and stop')
    .option('--clients [pattern]', 'certify the sample clients (glob) and compare with their labels instead')
    .optionsGroup('Output:')
    .option('--jobs <n>', 'servers judged at a time (default: two more than processors)')
    .option('--json <file>', 'write the kill matrix as JSON')
    .option('--report <dir>', 'write the kill matrix as HTML, JSON and Markdown')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours')
    .addHelpText('after', PROVE_EXAMPLES)
    .action(async (flags: ProveFlags & ColorFlag & CatalogueFlags) => {
      applyColor(flags);
      if (flags.clients !== undefined) {
        const { runProveClients } = await import('./prove-clients.ts');
        done(
          await runProveClients({
            patterns: flags.clients === true ? [] : [flags.clients],
            jobs: parseInteger('--jobs', flags.jobs ?? '3', 1, 64),
            quiet: flags.quiet ?? false,
            color: wantsColor(process.stdout, process.env),
          }),
        );
        return;
      }
      if (flags.list === true) {
        const { listCatalogue } = await import('./prove/list.ts');
        process.stdout.write(listCatalogue());
        return;
      }
      const { readProveOptions } = await import('./options/prove-options.ts');
      const options = readProveOptions(flags, {
        environment: process.env,
        directory: process.cwd(),
        stdout: process.stdout,
      });
      const { runProve } = await import('./prove.ts');
      done(await runProve(options));
    });
}

interface CatalogueFlags {
  readonly list?: boolean;
  /** `true` without a pattern. */
  readonly clients?: string | true;
}

interface ColorFlag {
  readonly color: boolean;
}

function applyColor({ color }: ColorFlag): void {
  if (!color) {
    disableColor(process.env);
  }
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** The parser's message, on one line and without values that may be keys. */
function usageMessage({ code, message }: CommanderError): string {
  const line = message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  switch (code) {
    case 'commander.unknownOption':
      return `${line.replace(/(?<option>'-[^'=]*)=[^]*$/, "$<option>'")} (see --help)`;
    case 'commander.excessArguments':
      return `${line.replace(/(?<count>but got \d+)[^]*$/, '$<count>')} (see --help)`;
    case 'commander.unknownCommand': {
      const url = /^unknown command '(?<url>https?:[^']*)'/.exec(line)?.groups?.['url'];
      return url === undefined
        ? `${line} (see --help)`
        : `a target follows a command: stockcheck verify ${url}`;
    }
    default:
      return line;
  }
}

const PROGRAM_EXAMPLES = `
Examples:
  $ stockcheck verify                                    judge the embedded reference server
  $ stockcheck verify http://127.0.0.1:8080/v1 --key free=KEY
  $ stockcheck load --scenario capacity                  find out how much a target carries
  $ stockcheck serve                                     run the reference server
  $ stockcheck explain                                   print what is judged

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`;

const VERIFY_EXAMPLES = `
A configuration file, variables and options may be mixed: options win over
variables, variables over the file. The variables are STOCKCHECK_TARGET,
STOCKCHECK_KEY_FREE, _PRO, _BUSINESS and _ENTERPRISE, STOCKCHECK_REVOKED_KEYS,
STOCKCHECK_CONTROL, STOCKCHECK_PETS_EXISTING, STOCKCHECK_PETS_MISSING and
STOCKCHECK_PROFILE. Lists are separated by commas: STOCKCHECK_KEY_FREE=k1,k2.

Examples:
  $ stockcheck verify --report report
  $ stockcheck verify http://127.0.0.1:8080/v1 --key free=k1,k2,k3 --control http://127.0.0.1:9090
  $ stockcheck verify https://staging.example/v1 --key enterprise=k6@5000/500000 --profile safe
  $ stockcheck verify --config staging.json --only 'limit-*' --only authentication --dry-run
  $ stockcheck verify --image registry.example/inventory:1.2 --image-port 3000 --key free=k1,k2,k3`;

const CERTIFY_EXAMPLES = `
The client gets STOCKCHECK_BASE_URL, STOCKCHECK_API_KEY and STOCKCHECK_OPERATION
(listInventory or updateInventory, then also STOCKCHECK_PET_ID and
STOCKCHECK_QUANTITY), performs that one operation with whatever retrying it does,
and prints as its last line {"ok":true,"value":…} or
{"ok":false,"error":{"code":"…","message":"…","status":404}}.

Examples:
  $ stockcheck certify --report report -- node client.js
  $ stockcheck certify --json certify.json -- python3 client.py --verbose
  $ stockcheck certify --driver jsonl -- ./client --jsonl
  $ stockcheck certify --driver none --only 'limited-*'

Exit codes: 0 certified, 1 not certified, 2 bad usage, 3 inconclusive.`;

const LOAD_EXAMPLES = `
Examples:
  $ stockcheck load --report report
  $ stockcheck load http://127.0.0.1:8080/v1 --key enterprise=KEY@600000/100000000 --scenario latency --rate 500 --duration 30s
  $ stockcheck load --scenario capacity --threshold 'p99<50ms' --threshold 'errors<0.1%'
  $ stockcheck load --scenario limit-accuracy,fairness,mixed
  $ stockcheck load --scenario latency --rounds 5 --baseline last.json --json this.json
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --max-rate 200
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379 --fleet-workers 3

Exit codes: 0 every threshold held, 1 a threshold was crossed or a MUST violated, 2 bad usage, 3 inconclusive.`;

const WORKER_EXAMPLES = `
On each machine that shall send a part of the load:
  $ stockcheck worker --redis redis://10.0.0.5:6379

Then, once for all of them:
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379`;

const SERVE_EXAMPLES = `
Examples:
  $ stockcheck serve
  $ stockcheck serve --port 0 --control-port 0
  $ stockcheck serve --key free=k1,k2 --key enterprise=k6@5000/500000 --pets 20000
  $ stockcheck serve --no-control --ban-after 3 --ban-seconds 30 --ban-status 403
  $ stockcheck serve --variant aligned-windows --fault remaining-missing-once-in-fifteen
  $ stockcheck serve --store redis://127.0.0.1:6379 --workers 2`;

const PROVE_EXAMPLES = `
Examples:
  $ stockcheck prove --report proof
  $ stockcheck prove --fault 'ban-*' --fault 'retry-after-*'
  $ stockcheck prove --with slow-150-milliseconds
  $ stockcheck prove --random 300 --seed 7

Exit codes: 0 every fault caught by the requirement that it breaks and no false alarm, 1 otherwise, 2 bad usage.`;

const EXPLAIN_EXAMPLES = `
Examples:
  $ stockcheck explain
  $ stockcheck explain retry-after-valid`;
