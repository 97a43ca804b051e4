import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { errorCode, messageOf } from '../../../contract/error-text.ts';
import { InconclusiveError } from '../../../contract/inconclusive-error.ts';
import { isJsonObject, parseJson, type JsonObject } from '../../../contract/json/index.ts';
import type { ImageOptions } from '../image-options.ts';
import { RUN_LABEL } from './container-guard.ts';

/**
 * An image that cannot be started, or whose container never gets ready: nothing was judged, exit code 3. The message
 * may have several lines, the last ones of the container's log among them.
 */
export class UnusableImage extends InconclusiveError {
  override name = 'UnusableImage';
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;
export type StartedContainer = Awaited<ReturnType<typeof startContainer>>;

/** What the engine says of a container. */
export interface ContainerState {
  readonly running: boolean;
  readonly exitCode: number;
  /** What its health check has found; `null` if it has none. */
  readonly health: string | null;
  /** What the last run of its health check printed. */
  readonly healthOutput: string;
}

const LOOPBACK = '127.0.0.1';
const LINES_OF_LOG = 100;

/** The first of them that is installed knows by itself where its engine is: DOCKER_HOST, the context, the usual sockets. */
const PROGRAMS = ['docker', 'podman'] as const;

type Program = (typeof PROGRAMS)[number];

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined;
  /** Variables of its environment beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** @throws with the last line that the program wrote to stderr, or with ENOENT if the program is not installed */
async function run(
  program: Program,
  words: readonly string[],
  { signal, environment }: RunOptions = {},
): Promise<Printed> {
  const child = spawn(program, words, {
    signal,
    env: { ...process.env, ...environment },
    // Ctrl-C in the terminal does not reach it: what it has begun, it ends.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = await once(child, 'close');
  const [stdout = '', stderr = ''] = (await printed).map((output) => output.trimEnd());
  if (exitCode !== 0) {
    throw new Error(stderr.split('\n').at(-1) || `${program} ended with exit code ${exitCode}`);
  }
  return { stdout, stderr };
}

/**
 * @throws {ConfigurationError} if no program of an engine is installed
 * @throws {UnusableImage} if no engine answers
 */
export async function openEngine(signal?: AbortSignal) {
  const program = await findProgram(signal);
  return {
    hasImage: (name: string): Promise<boolean> =>
      run(program, ['image', 'inspect', name]).then(
        () => true,
        () => false,
      ),
    /** @throws if the image cannot be had */
    pull: (name: string) => run(program, ['pull', '--quiet', name], { signal }),
    start: (image: ImageOptions, mark: string) => startContainer(program, image, mark),
    remove: (mark: string) => removeContainers(program, mark),
  };
}

async function findProgram(signal: AbortSignal | undefined): Promise<Program> {
  for (const program of PROGRAMS) {
    try {
      await run(program, ['version'], { signal });
      return program;
    } catch (error) {
      signal?.throwIfAborted();
      if (errorCode(error) !== 'ENOENT') {
        throw new UnusableImage(
          `No container engine answers (${messageOf(error)}). Start Docker or Podman, or set DOCKER_HOST.`,
        );
      }
    }
  }
  throw new ConfigurationError(
    `--image needs a container engine, and neither ${PROGRAMS.join(' nor ')} is on the PATH: install one of them`,
  );
}

/** The host of an engine elsewhere, on which it publishes ports; `null` if the engine is on this machine. */
async function remoteHost(program: Program): Promise<string | null> {
  if (program === 'podman') {
    return null;
  }
  const { stdout } = await run(program, ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
  return /^(?:tcp|https?|ssh):/.test(stdout) ? new URL(stdout).hostname : null;
}

/** What the engine says of an image or a container, by the names that Docker and Podman share. */
async function inspect(program: Program, kind: 'image' | 'container', name: string): Promise<JsonObject> {
  const { stdout } = await run(program, [kind, 'inspect', name]);
  const found = parseJson(stdout);
  const [described] = Array.isArray(found) ? found : [];
  return isJsonObject(described) ? described : {};
}

/** The object of a member; an empty one if there is none. */
function objectIn(described: JsonObject, name: string): JsonObject {
  const value = described[name];
  return isJsonObject(value) ? value : {};
}

function textIn(described: JsonObject, name: string): string | null {
  const value = described[name];
  return typeof value === 'string' ? value : null;
}

/** The last object of a list. */
function lastIn(described: JsonObject, name: string): JsonObject {
  const value = described[name];
  const last = Array.isArray(value) ? value.at(-1) : null;
  return isJsonObject(last) ? last : {};
}

/** Creates and starts a container that belongs to a run. */
async function startContainer(program: Program, image: ImageOptions, mark: string) {
  const host = await remoteHost(program);
  const built = await inspect(program, 'image', image.name);
  const settings = objectIn(built, 'Config');
  const ports = [image.port, ...(image.controlPort === null ? [] : [image.controlPort])];
  const { stdout: container } = await run(
    program,
    [
      'run',
      '--detach',
      '--pull=never',
      `--label=${RUN_LABEL}=${mark}`,
      ...Object.entries(image.environment).map(
        ([name, value]) => `--env=${isOfClient(name) ? `${name}=${value}` : name}`,
      ),
      // Nobody else on the network is to reach the container, least of all its control port.
      ...ports.map((port) => `--publish=${host === null ? `${LOOPBACK}::` : ''}${port}`),
      // Else an image that checks itself every 30 seconds, the default, would keep a run waiting that long.
      ...('Healthcheck' in settings ? ['--health-interval=500ms'] : []),
      image.name,
    ],
    {
      // A command line is there for all to read, an environment is not.
      environment: Object.fromEntries(
        Object.entries(image.environment).filter(([name]) => !isOfClient(name)),
      ),
    },
  );
  return {
    /** The digest by which the engine knows its image, such as `sha256:…`. */
    imageId: textIn(built, 'Id') ?? image.name,
    /** The ports that the image says it listens on, such as `8080/tcp`. */
    exposedPorts: Object.keys(objectIn(settings, 'ExposedPorts')),
    inspect: async (): Promise<ContainerState> => {
      const state = objectIn(await inspect(program, 'container', container), 'State');
      const health = objectIn(state, 'Health');
      return {
        running: state['Running'] === true,
        exitCode: Number(state['ExitCode']),
        health: textIn(health, 'Status'),
        healthOutput: textIn(lastIn(health, 'Log'), 'Output') ?? '',
      };
    },
    /** The address of a published port, such as `127.0.0.1:32768`; `null` before it has one. */
    address: async (port: number): Promise<string | null> => {
      const network = objectIn(await inspect(program, 'container', container), 'NetworkSettings');
      const published = textIn(lastIn(objectIn(network, 'Ports'), `${port}/tcp`), 'HostPort');
      return published === null ? null : `${host ?? LOOPBACK}:${published}`;
    },
    /** The end of what the container has printed, its errors last. */
    log: async (): Promise<string> => {
      const { stdout, stderr } = await run(program, ['logs', '--tail', String(LINES_OF_LOG), container]);
      return `${stdout}\n${stderr}`;
    },
  };
}

/** Whether the program of the engine would take the variable for its own. */
function isOfClient(name: string): boolean {
  return name in process.env || /^(?:PATH|HOME|DOCKER_|CONTAINER|BUILDKIT_|XDG_|SSH_|.*_PROXY$)/i.test(name);
}

/** Removes the containers of a run with their anonymous volumes. */
async function removeContainers(program: Program, mark: string): Promise<void> {
  const { stdout } = await run(program, ['ps', '--all', '--quiet', '--filter', `label=${RUN_LABEL}=${mark}`]);
  if (stdout !== '') {
    await run(program, ['rm', '--force', '--volumes', ...stdout.split('\n')]);
  }
}
