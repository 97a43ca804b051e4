import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { defineProgram } from './program.ts';

const MANIFESTS = fileURLToPath(new URL('../deploy/kubernetes', import.meta.url));

const COMPOSE: unknown = parse(readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8'), {
  merge: true,
});

type Fields = Readonly<Record<string, unknown>>;

const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

/** The type of an object of Kubernetes, in the module of its API. */
function typeOf(manifest: Fields): string {
  const api = String(manifest['apiVersion']);
  const file = join(MODULES, 'kubernetes-types', api.includes('/') ? api : `core/${api}`);
  return `import(${JSON.stringify(file)}).${String(manifest['kind'])}`;
}

/** What the compiler says of objects as values of the types of their kinds, a line for each that does not fit. */
function misfits(objects: readonly Fields[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'stockcheck-manifests-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = objects.map((object) => `(${JSON.stringify(object)}) satisfies ${typeOf(object)};`);
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const compiler = join(MODULES, 'typescript', 'bin', 'tsc');
  const words = '--noEmit --strict --module nodenext --ignoreConfig --pretty false manifests.ts'.split(' ');
  const { stdout } = spawnSync(process.execPath, [compiler, ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.trim().split('\n');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), value);
}

const manifests = readdirSync(MANIFESTS).flatMap((file) =>
  parseAllDocuments(readFileSync(join(MANIFESTS, file), 'utf8')).map((document): [string, Fields] => {
    const manifest: unknown = document.toJS();
    if (!isFields(manifest)) {
      throw new Error(`${file} holds a document that is no object`);
    }
    return [`${file} ${String(manifest['kind'])}`, manifest];
  }),
);

describe('the Kubernetes manifests', () => {
  test('are those of Redis, the server and the workers', () => {
    expect(manifests.map(([name]) => name)).toEqual([
      'redis.yaml Service',
      'redis.yaml StatefulSet',
      'server.yaml Service',
      'server.yaml Deployment',
      'workers.yaml Job',
    ]);
  });

  test('fit the types of their kinds, which know each of their fields', () => {
    const fitting = manifests.map(([, manifest]) => manifest);
    const service = { apiVersion: 'v1', kind: 'Service' };
    const wrong = [
      { ...service, spec: { selectors: {} } },
      { ...service, spec: { ports: [{ port: 80, protocol: 6 }] } },
    ];
    expect(misfits([...fitting, ...wrong])).toEqual([
      expect.stringMatching(`^manifests.ts\\(${fitting.length + 1},.*selectors.* does not exist`),
      expect.stringMatching(`^manifests.ts\\(${fitting.length + 2},.*number.* is not assignable`),
    ]);
  });

  test.each(manifests.filter(([, manifest]) => manifest['kind'] !== 'Service'))(
    '%s runs without privileges on a file system that it cannot change',
    (_name, manifest) => {
      const pod = valueAt(manifest, ['spec', 'template', 'spec']);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            resources: { requests: { cpu: expect.anything(), memory: expect.anything() } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      });
    },
  );

  test.each(manifests.filter(([, manifest]) => manifest['kind'] !== 'Job'))(
    '%s selects pods that there are',
    (_name, { spec }) => {
      const labels = valueAt(spec, ['selector', 'matchLabels']) ?? valueAt(spec, ['selector']);
      const pods = manifests.map(([, manifest]) =>
        valueAt(manifest, ['spec', 'template', 'metadata', 'labels']),
      );
      expect(pods).toContainEqual(labels);
    },
  );
});

test('compose.yaml names only services and conditions that there are', () => {
  const services = valueAt(COMPOSE, ['services']);
  expect(Object.keys(isFields(services) ? services : {})).toEqual([
    'redis',
    'server-1',
    'server-2',
    'worker-1',
    'worker-2',
  ]);
  for (const name of ['server-1', 'server-2', 'worker-1', 'worker-2']) {
    expect(valueAt(services, [name, 'depends_on'])).toEqual({ redis: { condition: 'service_healthy' } });
    expect(valueAt(services, [name, 'read_only'])).toBe(true);
  }
});

/** The command lines of the project's own image in both. */
function commandLines(): readonly (readonly string[])[] {
  const services = valueAt(COMPOSE, ['services']);
  const composed = Object.values(isFields(services) ? services : {})
    .filter((service) => valueAt(service, ['image']) === 'stockcheck')
    .map((service) => valueAt(service, ['command']));
  const pods = manifests
    .map(([, manifest]) => valueAt(manifest, ['spec', 'template', 'spec', 'containers', '0']))
    .filter((container) => valueAt(container, ['image']) === 'stockcheck')
    .map((container) => valueAt(container, ['args']));
  return [...composed, ...pods].map((words) => (Array.isArray(words) ? words.map(String) : []));
}

test('every command line of the image uses options that there are', async () => {
  const lines = commandLines();
  expect(lines).toHaveLength(6);
  const { commands } = await defineProgram([], () => {});
  const unknown = lines.flatMap(([name = '', ...words]) => {
    const options = commands.find((command) => command.name() === name)?.options.map(({ long }) => long);
    return words.filter((word) => word.startsWith('--') && options?.includes(word) !== true);
  });
  expect(unknown).toEqual([]);
  expect(lines.filter(([name]) => !commands.some((command) => command.name() === name))).toEqual([]);
});
