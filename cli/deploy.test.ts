import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { validate as fitsDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as fitsStatefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet';
import { validate as fitsJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job';
import { validate as fitsService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { changeAt, placesIn } from '../reports/model/places.test-data.ts';
import { defineProgram } from './program.ts';

const MANIFESTS = fileURLToPath(new URL('../deploy/kubernetes', import.meta.url));

const COMPOSE: unknown = parse(readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8'), {
  merge: true,
});

type Fields = Readonly<Record<string, unknown>>;

/** Says whether a manifest fits the schema of its kind; what it says is wrong is in `errors`. */
const SCHEMAS: Readonly<Record<string, (manifest: unknown) => boolean>> = {
  'v1 Service': fitsService,
  'apps/v1 Deployment': fitsDeployment,
  'apps/v1 StatefulSet': fitsStatefulSet,
  'batch/v1 Job': fitsJob,
};

/** What is wrong with a manifest by the schema of the kind `manifest`; `null` if nothing is. */
function problemsOf(altered: unknown, manifest: Fields): unknown {
  const kind = `${String(manifest['apiVersion'])} ${String(manifest['kind'])}`;
  const fits = SCHEMAS[kind];
  if (fits === undefined) {
    throw new Error(`No schema of ${kind} is at hand`);
  }
  return fits(altered) ? null : 'errors' in fits ? fits.errors : 'unknown';
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

  test.each(manifests)('%s fits the schema of its kind', (_name, manifest) => {
    expect(problemsOf(manifest, manifest)).toBeNull();
  });

  // The schemas let unknown fields pass. What a schema knows has a type, so a value of no possible type is refused.
  test.each(manifests)('%s holds no field that its schema does not know', (_name, manifest) => {
    const unknown = placesIn(manifest).filter(({ path, value }) => {
      const altered = changeAt(manifest, path, () => (isFields(value) ? true : {}));
      return problemsOf(altered, manifest) === null;
    });
    expect(unknown.map(({ path }) => path.join('.'))).toEqual([]);
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
