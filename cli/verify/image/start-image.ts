import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { messageOf } from '../../../contract/error-text.ts';
import type { ImageOptions } from '../image-options.ts';
import { guardContainers } from './container-guard.ts';
import {
  openEngine,
  UnusableImage,
  type ContainerState,
  type Engine,
  type StartedContainer,
} from './engine.ts';
import { printableLine } from '../../../reports/index.ts';

interface StartSurroundings {
  /** Calls the start off. */
  readonly signal: AbortSignal;
  /** Tells the user what goes on. */
  readonly note: (text: string) => void;
  /** Replaces secrets in what a container has printed. */
  readonly redact: (text: string) => string;
}

const MILLISECONDS_BETWEEN_LOOKS = 100;
const LONGEST_PROBE_MILLISECONDS = 2_000;
/** A healthy container that does not answer by then listens elsewhere. */
const MILLISECONDS_FROM_HEALTH_TO_ANSWER = 5_000;

/**
 * Starts a container of the image and waits until it is ready: healthy if the image has a health check, and with
 * an answer over HTTP in any case. The container is gone when this throws, also for the signal, and when this process
 * is killed.
 * @throws {UnusableImage}
 */
export async function startImage(image: ImageOptions, surroundings: StartSurroundings) {
  const { signal, note, redact } = surroundings;
  const engine = await openEngine(signal);
  signal.throwIfAborted();
  await provide(engine, image.name, surroundings);
  const run = randomUUID();
  const guard = guardContainers(run);
  const remove = async (): Promise<void> => {
    await engine.remove(run);
    guard.release();
  };
  try {
    note(`Starting a container of ${image.name}; it has ${image.timeoutSeconds} s to get ready.`);
    const startedAt = performance.now();
    const container = await engine.start(image, run).catch((error: unknown) => {
      throw new UnusableImage(`${image.name} cannot be started: ${messageOf(error)}`);
    });
    const address = await untilReady(container, image, surroundings);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    note(`${image.name} is ready after ${seconds} s, at http://${address}${image.path}.`);
    const control = image.controlPort === null ? null : await container.address(image.controlPort);
    return {
      url: `http://${address}${image.path}`,
      controlUrl: control === null ? null : `http://${control}`,
      imageId: container.imageId,
      /** Removes the container; says so if it had ended by itself. */
      close: async (): Promise<void> => {
        // Somebody else may have removed it.
        const state = await container.inspect().catch(() => null);
        if (state?.running === false) {
          const end = describeEnd(await container.log(), redact);
          note(`The container of ${image.name} ended during the run, with code ${state.exitCode}.${end}`);
        }
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function provide(engine: Engine, name: string, { signal, note }: StartSurroundings): Promise<void> {
  if (await engine.hasImage(name)) {
    return;
  }
  note(`${name} is not on this machine; pulling it.`);
  try {
    await engine.pull(name);
  } catch (error) {
    signal.throwIfAborted();
    throw new UnusableImage(`${name} is not on this machine and cannot be pulled: ${messageOf(error)}`);
  }
}

/** Waits, and returns the address of the service's port. */
async function untilReady(
  container: StartedContainer,
  image: ImageOptions,
  { signal, redact }: StartSurroundings,
): Promise<string> {
  let deadline = performance.now() + image.timeoutSeconds * 1000;
  for (;;) {
    signal.throwIfAborted();
    const address = await container.address(image.port);
    const answers = address !== null && (await answersHttp(`http://${address}${image.path}`, signal));
    const state = await container.inspect();
    const readiness = readinessOf(state, answers);
    if (readiness.state === 'ready' && address !== null) {
      return address;
    }
    const isLate = performance.now() > deadline;
    if (readiness.state === 'ended' || isLate) {
      const why = readiness.state === 'ready' ? 'it has no port' : readiness.why;
      const log = describeEnd(await container.log(), redact);
      const advice = isLate ? describeAdvice(container, image) : '';
      throw new UnusableImage(
        `The container of ${image.name} did not get ready: ${redact(why)}.${advice}${log}`,
      );
    }
    if (state.health === 'healthy') {
      deadline = Math.min(deadline, performance.now() + MILLISECONDS_FROM_HEALTH_TO_ANSWER);
    }
    await delay(MILLISECONDS_BETWEEN_LOOKS, undefined, { signal });
  }
}

/** What to change if the time was too short or the port is another. */
function describeAdvice({ exposedPorts }: StartedContainer, { port, timeoutSeconds }: ImageOptions): string {
  return exposedPorts.length === 0 || exposedPorts.includes(`${port}/tcp`)
    ? ` It had ${timeoutSeconds} s; --image-timeout gives it more.`
    : ` The image exposes ${exposedPorts.join(', ')}, and --image-port is ${port}.`;
}

function describeEnd(log: string, redact: (text: string) => string): string {
  const lines = lastLines(log, redact);
  return lines.length === 0
    ? ' It printed nothing.'
    : `\nIts last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

async function answersHttp(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_PROBE_MILLISECONDS)]),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

const SHOWN_CHARACTERS = 300;

/** How far a container is. */
type Readiness =
  | { readonly state: 'ready' }
  | { readonly state: 'ended'; readonly why: string }
  | { readonly state: 'waiting'; readonly why: string };

/**
 * A container is ready when its health check says so and its port answers; without a health check the answer alone
 * decides. One that is unhealthy may still get healthy, so only its end is final.
 * @param answers whether anything answered HTTP on its port
 */
export function readinessOf(
  { running, exitCode, health, healthOutput }: ContainerState,
  answers: boolean,
): Readiness {
  if (!running) {
    return { state: 'ended', why: `it exited with code ${exitCode} before it was ready` };
  }
  if (health !== null && health !== 'healthy') {
    const said = printableLine(healthOutput.trim(), SHOWN_CHARACTERS);
    const last = said === '' ? '' : `; its last health check said: ${said}`;
    return { state: 'waiting', why: `it is ${health === 'starting' ? 'not healthy yet' : health}${last}` };
  }
  return answers ? { state: 'ready' } : { state: 'waiting', why: 'nothing answers HTTP on its port' };
}

const SHOWN_LINES = 12;

/**
 * The last lines of a container's log, safe to show on a terminal.
 * @param redact replaces secrets
 */
export function lastLines(log: string, redact: (text: string) => string): readonly string[] {
  return redact(log)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-SHOWN_LINES)
    .map((line) => printableLine(line, SHOWN_CHARACTERS));
}
