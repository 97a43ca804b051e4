import type { SeedKey } from '../../fixtures/corpora/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readVariants } from '../library/catalogue.ts';
import { readLikeness } from '../shared/files/report-file.ts';
import type { Subcommand } from '../shared/options/command.ts';
import { parseKeyOptions } from '../shared/options/keys.ts';
import { asText, negated, list, optional, together, withDefault } from '../shared/options/option-rows.ts';
import { asListeningPort, asRedisUrl, asSeed, integerWithin, ofForm } from '../shared/options/values.ts';

const MOST_PETS = 1_000_000;

/** The options of `stockcheck serve`. */
export const SERVE_OPTIONS = {
  host: withDefault(
    '<host>',
    'address to listen on; the control port is always on loopback',
    '127.0.0.1',
    asText,
  ),
  port: withDefault('<port>', 'port of the service; 0 for any free port', '8080', asListeningPort),
  controlPort: withDefault(
    '<port>',
    'port of the control contract; 0 for any free port',
    '9090',
    asListeningPort,
  ),
  control: negated('offer no control contract'),
  key: together('<plan=key>', 'API key in place of the seed keys, or plan=key@perMinute/perDay', seedKeys),
  pets: withDefault('<n>', 'number of pets in the inventory', '24', integerWithin(0, MOST_PETS)),
  seed: withDefault('<n>', 'seed of the inventory', '1', asSeed),
  variant: together(
    '<names>',
    'permitted variants (stockcheck prove --list), or several with commas',
    (texts, named) => readVariants(named, texts),
  ),
  fault: list('<names>', 'faults (stockcheck prove --list), or several with commas', asText),
  like: optional(
    '<report>',
    'behave as the service that this report of verify judged (JSON, or its folder)',
    readLikeness,
  ),
  store: optional(
    '<url>',
    'share limits, bans, keys, inventory and clock in a Redis: redis://HOST:PORT/DB',
    asRedisUrl,
  ),
  storeNamespace: optional(
    '<name>',
    'keeps services on one Redis apart (default: stockcheck)',
    ofForm(/^[\w.:-]{1,64}$/, '1 to 64 letters, digits and . : _ -'),
  ),
};

/** `stockcheck serve`. */
export const SERVE: Subcommand = {
  summary: 'run the reference server',
  description: 'Runs the reference server until SIGINT or SIGTERM, and prints its URLs and keys.',
  options: { 'Options:': SERVE_OPTIONS },
  isPlain: true,
  examples: `
Examples:
  $ stockcheck serve
  $ stockcheck serve --port 0 --control-port 0
  $ stockcheck serve --key free=k1,k2 --key enterprise=k6@5000/500000 --pets 20000
  $ stockcheck serve --no-control --variant ban-after-one,ban-of-five-seconds,ban-by-403
  $ stockcheck serve --variant aligned-minute --fault remaining-missing-once-in-fifteen
  $ stockcheck serve --like report/report.json
  $ stockcheck serve --store redis://127.0.0.1:6379`,
  run: async (call) => (await import('./start-server.ts')).runServe(call),
};

function seedKeys(texts: readonly string[]): readonly SeedKey[] {
  const keys = [...parseKeyOptions(texts)].flatMap(([plan, list]) =>
    list.map((given): SeedKey => (typeof given === 'string' ? { key: given, plan } : { ...given, plan })),
  );
  for (const [index, { key, plan }] of keys.entries()) {
    if (!/^[!-~]+$/.test(key)) {
      throw new ConfigurationError(
        `--key ${plan}: key ${index + 1} must be printable ASCII characters without spaces`,
      );
    }
    if (keys.findIndex((other) => other.key === key) !== index) {
      throw new ConfigurationError(`--key ${plan}: key ${index + 1} was given before`);
    }
  }
  return keys;
}
