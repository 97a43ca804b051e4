import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { temporaryDirectory } from '../../run-binary.test-data.ts';
import { loadConfiguration, type LoadedConfiguration, CONFIGURATION_FILE } from './configuration.ts';
import type { TargetFlags } from './settings.ts';

const FILE = {
  target: 'https://file.example/v1',
  keys: { free: ['file-free'], pro: ['file-pro'] },
  revokedKeys: ['file-revoked'],
  pets: { existing: ['1', '2'], missing: '3' },
  profile: 'safe',
};

let directory = '';

beforeEach(() => {
  directory = temporaryDirectory();
});

function write(name: string, content: unknown): void {
  writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
}

interface Given {
  readonly target?: string;
  readonly flags?: TargetFlags;
  readonly environment?: NodeJS.ProcessEnv;
}

function load({ target, flags = {}, environment = {} }: Given = {}): LoadedConfiguration {
  return loadConfiguration(target, flags, { environment, directory });
}

function keysOf({ config }: LoadedConfiguration): readonly string[] {
  return config?.keys.map(({ label, key }) => `${label} ${key}`) ?? [];
}

describe('without any target', () => {
  const silent: readonly (readonly [string, Given])[] = [
    ['nothing at all', {}],
    ['a profile', { flags: { profile: 'safe' } }],
    ['a profile in a variable', { environment: { STOCKCHECK_PROFILE: 'standard' } }],
    ['empty variables', { environment: { STOCKCHECK_TARGET: '', STOCKCHECK_KEY_FREE: ' ' } }],
  ];

  test.each(silent)('%s is an error that says how to name one', (_what, given) => {
    expect(() => load(given)).toThrow(
      /^TARGET is missing: nothing names one[.].*STOCKCHECK_TARGET.*--self[.]$/s,
    );
  });

  test('anything else that describes one is an error that names its source', () => {
    expect(() => load({ flags: { key: ['free=k1'] } })).toThrow(
      'TARGET is missing: --key describes a target',
    );
    expect(() => load({ environment: { STOCKCHECK_CONTROL: 'http://[::1]:1' } })).toThrow(
      'STOCKCHECK_CONTROL',
    );
  });

  test('an empty variable and a misnamed file are named', () => {
    for (const name of ['stockcheck.json', 'stockcheck.conf.json', 'package.json']) {
      write(name, FILE);
    }
    const given = { environment: { STOCKCHECK_TARGET: ' ' } };
    expect(() => load(given)).toThrow('STOCKCHECK_TARGET is set, but empty.');
    expect(() => load(given)).toThrow('or use --config stockcheck.json.');
    expect(() => load(given)).toThrow('or use --config stockcheck.conf.json.');
    expect(() => load(given)).not.toThrow('--config package.json.');
  });
});

describe('--self', () => {
  const flags = { self: true };

  test('takes the embedded server, with a profile from anywhere', () => {
    expect(load({ flags })).toEqual({ config: null, profile: null, warnings: [] });
    expect(load({ flags: { ...flags, profile: 'safe' } }).profile).toBe('safe');
    expect(load({ flags, environment: { STOCKCHECK_PROFILE: 'standard' } }).profile).toBe('standard');
  });

  test('ignores variables and the file of the working directory, and says so', () => {
    write(CONFIGURATION_FILE, FILE);
    const { config, warnings } = load({
      flags,
      environment: { STOCKCHECK_TARGET: 'https://environment.example/v1' },
    });
    expect(config).toBeNull();
    expect(warnings).toEqual([
      expect.stringContaining('STOCKCHECK_TARGET'),
      expect.stringContaining(CONFIGURATION_FILE),
    ]);
  });

  test.each<[string, Given]>([
    ['TARGET', { target: 'http://127.0.0.1:1/v1' }],
    ['--config', { flags: { config: 'none.json' } }],
    ['--key', { flags: { key: ['free=k1'] } }],
    ['--missing-pet', { flags: { missingPet: '1' } }],
  ])('excludes %s', (option, given) => {
    expect(() => load({ ...given, flags: { ...given.flags, ...flags } })).toThrow(
      `${option} and --self exclude each other`,
    );
  });
});

describe('the file', () => {
  test('is read from the working directory', () => {
    write(CONFIGURATION_FILE, FILE);
    expect(load().config).toMatchObject({ target: 'https://file.example/v1', profile: 'safe' });
  });

  test('is the one that --config names, if it is given', () => {
    write(CONFIGURATION_FILE, FILE);
    write('other.json', { ...FILE, target: 'https://other.example/v1' });
    expect(load({ flags: { config: 'other.json' } }).config?.target).toBe('https://other.example/v1');
  });

  test('may begin with a byte order mark', () => {
    write(CONFIGURATION_FILE, `\uFEFF${JSON.stringify(FILE)}`);
    expect(load().config?.target).toBe('https://file.example/v1');
  });

  test('that does not exist, is a directory, is not JSON or holds no object is named', () => {
    expect(() => load({ flags: { config: 'none.json' } })).toThrow(
      '--config none.json: there is no such file',
    );
    mkdirSync(join(directory, 'folder'));
    expect(() => load({ flags: { config: 'folder' } })).toThrow('--config folder: this is a directory');
    write('broken.json', '{\n  "target": "x",\n}');
    expect(() => load({ flags: { config: 'broken.json' } })).toThrow(
      '--config broken.json is not JSON, line 3, column 1: no comma may stand before "}"',
    );
    write(CONFIGURATION_FILE, '[]');
    expect(() => load()).toThrow(`${CONFIGURATION_FILE} must hold a JSON object`);
  });

  test('in which a member stands twice is refused, with the place of the second', () => {
    write(
      CONFIGURATION_FILE,
      '{"target": "{,\\"target\\":", "pets": {}, "keys": {"target": []},\n "t\\u0061rget" : "x"}',
    );
    expect(() => load()).toThrow(
      `${CONFIGURATION_FILE}, line 2, column 2: "target" stands twice in one object`,
    );
  });

  test('that is not JSON shows none of its keys', () => {
    write(CONFIGURATION_FILE, '{"keys": {"free": ["SECRET" "SECRET"]}}');
    expect(() => load()).toThrow(
      /^stockcheck[.]config[.]json is not JSON, line 1, column 29: expected ',' or '\]' after array element$/,
    );
  });
});

describe('a variable that the file names', () => {
  const named = { target: 'https://${HOST}/v1', keys: { free: ['$SECRET_KEY'] }, pets: { missing: '$PET' } };
  const environment = { HOST: 'host.example', SECRET_KEY: 'k1', PET: '7' };

  test('is read', () => {
    write(CONFIGURATION_FILE, named);
    const loaded = load({ environment });
    expect(loaded.config).toMatchObject({ target: 'https://host.example/v1', pets: { missing: 7n } });
    expect(keysOf(loaded)).toEqual(['free#1 k1']);
  });

  test('and is not set is an error that names field and variable, unless the field comes from elsewhere', () => {
    write(CONFIGURATION_FILE, named);
    expect(() => load({ environment: { HOST: 'host.example', PET: '7' } })).toThrow(
      `${CONFIGURATION_FILE}: keys.free[0] is read from the environment variable SECRET_KEY, which is not set`,
    );
    const flags = { key: ['free=$LITERAL'], missingPet: '8' };
    expect(keysOf(load({ environment: { HOST: 'host.example' }, flags }))).toEqual(['free#1 $LITERAL']);
  });

  test.each([
    ['--missing-pet: pets.missing must fit int64', { missingPet: '$PET' }],
    ['--control: control must be a URL', { control: '$CONTROL' }],
  ])('has no meaning on the command line: %s', (message, flags) => {
    write(CONFIGURATION_FILE, FILE);
    expect(() => load({ flags, environment: { ...environment, CONTROL: 'http://h' } })).toThrow(message);
  });
});

describe('precedence', () => {
  const environment = {
    STOCKCHECK_TARGET: 'https://environment.example/v1',
    STOCKCHECK_KEY_FREE: 'environment-1, environment-2',
    STOCKCHECK_REVOKED_KEYS: 'environment-revoked',
    STOCKCHECK_PETS_MISSING: '33',
    STOCKCHECK_PROFILE: 'standard',
  };

  test('the environment wins over the file, plan by plan and list by list', () => {
    write(CONFIGURATION_FILE, FILE);
    const loaded = load({ environment });
    expect(keysOf(loaded)).toEqual(['free#1 environment-1', 'free#2 environment-2', 'pro#1 file-pro']);
    expect(loaded.config).toMatchObject({
      target: 'https://environment.example/v1',
      revokedKeys: ['environment-revoked'],
      pets: { existing: [1n, 2n], missing: 33n },
      profile: 'standard',
    });
  });

  test('the command line wins over both', () => {
    write(CONFIGURATION_FILE, FILE);
    const loaded = load({
      target: 'https://argument.example/v1',
      flags: {
        key: ['free=option-1', 'free=option-2,option-3', 'enterprise=option-4@5/50'],
        revokedKey: ['option-revoked'],
        control: 'https://argument.example/control',
        existingPet: ['7', '8,9'],
        missingPet: '333',
        profile: 'full',
      },
      environment,
    });
    expect(keysOf(loaded)).toEqual([
      'free#1 option-1',
      'free#2 option-2',
      'free#3 option-3',
      'pro#1 file-pro',
      'enterprise#1 option-4',
    ]);
    expect(loaded.config?.keys.at(-1)?.limits).toEqual({ perMinute: 5, perDay: 50 });
    expect(loaded.config).toMatchObject({
      target: 'https://argument.example/v1',
      revokedKeys: ['option-revoked'],
      control: 'https://argument.example/control',
      controlFrom: '--control',
      pets: { existing: [7n, 8n, 9n], missing: 333n },
      profile: 'full',
    });
    expect(loaded.profile).toBe('full');
  });
});

describe('a message names where the field came from', () => {
  test.each<[string, Given]>([
    ['TARGET: target must be an http', { target: 'ftp://host', flags: { key: ['free=k1'] } }],
    ['TARGET: target must be an http', { target: '', flags: { key: ['free=k1'] } }],
    ['STOCKCHECK_TARGET: target must be', { environment: { STOCKCHECK_TARGET: 'host' } }],
    ['--control: control must be', { flags: { control: 'host' } }],
    ['--key: keys.free[1] must be', { flags: { key: ['free=k1', 'free=k\u00e9'] } }],
    ['--revoked-key: revokedKeys[0] must be', { flags: { revokedKey: ['k 1'] } }],
    ['--existing-pet: pets.existing[0] must be', { flags: { existingPet: ['one'] } }],
    ['--missing-pet: pets.missing is the same as pets.existing[0]', { flags: { missingPet: '1' } }],
    ['--profile must be safe, standard or full, not "fast"', { flags: { profile: 'fast' } }],
    ['STOCKCHECK_PROFILE must be', { environment: { STOCKCHECK_PROFILE: 'fast' } }],
    ['STOCKCHECK_KEY_PRO: limits are written', { environment: { STOCKCHECK_KEY_PRO: 'k1@5' } }],
    [`${CONFIGURATION_FILE}: profil is not a known field; did you mean profile?`, {}],
  ])('%s', (message, given) => {
    write(CONFIGURATION_FILE, { ...FILE, ...(Object.keys(given).length === 0 ? { profil: 'safe' } : {}) });
    expect(() => load(given)).toThrow(message);
  });

  test('and says what to do if there is no key', () => {
    expect(() => load({ target: 'https://argument.example/v1' })).toThrow(
      '--key: keys must hold at least one API key, unless there is a control URL',
    );
  });

  test('a malformed part of the file is found even if an option would replace some of it', () => {
    write(CONFIGURATION_FILE, { ...FILE, keys: ['file-free'] });
    expect(() => load({ flags: { key: ['free=k1'] } })).toThrow('keys must be an object');
  });
});

describe('warnings', () => {
  test('name a base path that is not /v1', () => {
    const flags = { key: ['free=k1'] };
    expect(load({ target: 'https://argument.example', flags }).warnings).toEqual([
      expect.stringContaining('does not end in /v1'),
    ]);
  });

  test('say that an empty STOCKCHECK_TARGET leaves the target to the file', () => {
    write(CONFIGURATION_FILE, FILE);
    const { config, warnings } = load({ environment: { STOCKCHECK_TARGET: '' } });
    expect(config?.target).toBe(FILE.target);
    expect(warnings).toEqual([expect.stringContaining('STOCKCHECK_TARGET is set, but empty')]);
  });
});
