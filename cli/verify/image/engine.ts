import type * as Testcontainers from 'testcontainers';

import { messageOf } from '../../../contract/error-text.ts';
import { InconclusiveError } from '../../../contract/inconclusive-error.ts';
import { importOptional } from '../../../contract/optional-package.ts';
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
const NANOSECONDS_BETWEEN_HEALTH_CHECKS = 500_000_000;

/**
 * Finds the container engine as other tools do: DOCKER_HOST, the context, the usual sockets.
 * @throws {ConfigurationError} if the library is not installed
 * @throws {UnusableImage} if none answers
 */
export async function openEngine() {
  const { getContainerRuntimeClient, ImageName } = await importOptional(
    '--image',
    'testcontainers',
    () => import('testcontainers'),
  );
  const client = await getContainerRuntimeClient().catch((error: unknown) => {
    throw new UnusableImage(
      `No container engine answers (${messageOf(error)}). Start Docker or Podman, or set DOCKER_HOST.`,
    );
  });
  return {
    hasImage: (name: string): Promise<boolean> => client.image.exists(ImageName.fromString(name)),
    /** @throws if the image cannot be had */
    pull: (name: string): Promise<void> => client.image.pull(ImageName.fromString(name)),
    start: (image: ImageOptions, run: string) => startContainer(client, image, run),
    remove: (run: string) => removeContainers(client, run),
  };
}

/** Creates and starts a container that belongs to a run. */
async function startContainer(
  client: Testcontainers.ContainerRuntimeClient,
  image: ImageOptions,
  run: string,
) {
  const { dockerode } = client.container;
  const { Id: imageId, Config: built } = await dockerode.getImage(image.name).inspect();
  const isLocal = client.info.containerRuntime.host === 'localhost';
  // Nobody else on the network is to reach the container, least of all its control port.
  const published = [{ HostIp: isLocal ? LOOPBACK : '', HostPort: '' }];
  const ports = [image.port, ...(image.controlPort === null ? [] : [image.controlPort])].map(inTcp);
  const container = await client.container.create({
    Image: image.name,
    Labels: { [RUN_LABEL]: run },
    Env: Object.entries(image.environment).map(([name, value]) => `${name}=${value}`),
    ExposedPorts: Object.fromEntries(ports.map((port) => [port, {}])),
    HostConfig: { PortBindings: Object.fromEntries(ports.map((port) => [port, published])) },
    // Else an image that checks itself every 30 seconds, the default, would keep a run waiting that long.
    ...(built.Healthcheck === undefined
      ? {}
      : { Healthcheck: { Interval: NANOSECONDS_BETWEEN_HEALTH_CHECKS } }),
  });
  await client.container.start(container);
  return {
    /** The digest by which the engine knows its image, such as `sha256:…`. */
    imageId,
    /** The ports that the image says it listens on, such as `8080/tcp`. */
    exposedPorts: Object.keys(built.ExposedPorts ?? {}),
    inspect: async (): Promise<ContainerState> => {
      const { State: state } = await client.container.inspect(container);
      return {
        running: state.Running,
        exitCode: state.ExitCode,
        health: state.Health?.Status ?? null,
        healthOutput: state.Health?.Log.at(-1)?.Output ?? '',
      };
    },
    /** The address of a published port, such as `127.0.0.1:32768`; `null` before it has one. */
    address: async (port: number): Promise<string | null> => {
      const { NetworkSettings: network } = await client.container.inspect(container);
      const [binding] = network.Ports[inTcp(port)] ?? [];
      return binding === undefined
        ? null
        : `${isLocal ? LOOPBACK : client.info.containerRuntime.host}:${binding.HostPort}`;
    },
    /** The end of what the container has printed, as the engine frames it. */
    log: (): Promise<Buffer> =>
      container.logs({ stdout: true, stderr: true, follow: false, tail: LINES_OF_LOG }),
  };
}

/** Removes the containers of a run with their anonymous volumes. */
async function removeContainers(
  { container }: Testcontainers.ContainerRuntimeClient,
  run: string,
): Promise<void> {
  const found = await container.dockerode.listContainers({
    all: true,
    filters: { label: [`${RUN_LABEL}=${run}`] },
  });
  await Promise.all(found.map(({ Id: id }) => container.getById(id).remove({ force: true, v: true })));
}

function inTcp(port: number): string {
  return `${port}/tcp`;
}
