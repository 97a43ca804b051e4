import { ConfigurationError } from '../../contract/configuration-error.ts';
import { asText, flag, optional, withDefault } from '../shared/options/option-rows.ts';
import {
  CONNECTION_OPTIONS,
  fieldOptions,
  levelOption,
  requirementsOption,
  outputOptions,
} from '../shared/options/shared-options.ts';
import { asListeningPort, asShare, durationWithin } from '../shared/options/values.ts';
import type { Subcommand } from '../shared/options/command.ts';
import { BASELINE_OPTION } from '../verify/baseline.ts';

const { insecure, ca } = CONNECTION_OPTIONS;
const MOST_SECONDS = 31 * 86_400;

const GROUPS = {
  proxy: {
    upstream: optional('<url>', 'base URL of the service, such as https://staging.example/v1', asText),
    host: withDefault('<host>', 'address to listen on', '127.0.0.1', asText),
    port: withDefault('<port>', 'port to listen on; 0 for any free port', '0', asListeningPort),
    keepHost: flag('pass the Host field on as the client sent it'),
    insecure,
    ca,
  },
  scope: {
    ...fieldOptions('key'),
    exclusive: flag('nobody else uses these keys or writes to the inventory, so that more can be proven'),
    /** In seconds. */
    for: optional(
      '<duration>',
      'end after that time, such as 90s, 10m or 2h',
      durationWithin(1, MOST_SECONDS),
    ),
    sample: withDefault('<share>', 'share of the exchanges to judge, such as 10%', '1', parseSample),
    level: levelOption(),
    requirements: requirementsOption(),
    baseline: BASELINE_OPTION,
  },
  output: outputOptions('verify'),
};

const { proxy, scope, output } = GROUPS;

export const WATCH_OPTIONS = { ...proxy, ...scope, ...output };

function parseSample(text: string, named: string): number {
  const share = asShare(text, named);
  if (share === 0) {
    throw new ConfigurationError(`${named} must be above 0: with none, nothing is judged`);
  }
  return share;
}

/** `stockcheck watch`. */
export const WATCH: Subcommand = {
  summary: 'judge the traffic of others from a proxy',
  description:
    'Passes requests on to a service, unchanged, and judges what it answers. It sends nothing of its own and needs no key. It ends with Ctrl-C, after --for, or with the program behind --.',
  usage: '--upstream URL [options] [-- CMD...]',
  arguments: { '[CMD...]': 'a program to run, after --' },
  takesProgram: true,
  options: { 'Proxy:': proxy, 'Scope:': scope, 'Output:': output },
  examples: `
The program gets the address of the proxy in STOCKCHECK_BASE_URL. If it fails and
the traffic does not, its exit code is that of stockcheck.

Examples:
  $ stockcheck watch --upstream https://staging.example/v1 --port 8081
  $ stockcheck watch --upstream http://127.0.0.1:8080/v1 --report report -- npm run e2e
  $ stockcheck watch --upstream https://canary.example/v1 --for 10m --sample 10% --json watch.json

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`,
  run: async (call) => (await import('./run.ts')).runWatch(call),
};
