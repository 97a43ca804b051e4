import { messageOf } from '../../../contract/error-text.ts';
import type { InventoryItem } from '../../../contract/inventory.ts';
import { isJsonObject, parseIfJson, type JsonValue, stringifyJson } from '../../../contract/json/index.ts';
import type { Plan } from '../../../contract/plans.ts';
import { openConnections } from '../http/http-transport.ts';

export type Capability = 'reset' | 'keys' | 'clock' | 'inventory';

/** What a new key is to be; limits only if they differ from the plan's. */
interface KeyOrder {
  readonly plan: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
  /** Requests that count as made today already. */
  readonly usedToday?: number;
}

/** A reading of the control clock, with the moments between which it was taken (monotonic milliseconds). */
export interface ClockReading {
  readonly now: number;
  /** Real milliseconds, monotonic. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * The control contract of a target's test build. A call that gets no answer is sent again, all but `advance`.
 * @throws {NotServed} if a call is answered 404 or 501
 */
export interface ControlClient {
  /** As the user wrote it. */
  readonly url: string;
  /** What it names, without what was tried and is not served. */
  readonly capabilities: ReadonlySet<Capability>;
  readClock(): Promise<ClockReading | undefined>;
  /** @throws {ControlUnanswered} if it got no answer, so that the clock may have moved or not */
  advance(seconds: number): Promise<ClockReading>;
  issueKey(order: KeyOrder): Promise<string>;
  revokeKey(key: string): Promise<void>;
  replaceInventory(items: readonly InventoryItem[]): Promise<void>;
  /** Seed inventory, seed keys, counters and bans as at start. */
  reset(): Promise<void>;
}

export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** The target named the capability, but does not serve the call. */
export class NotServed extends ControlError {}

/** The call got no answer: it may have been carried out or not. */
export class ControlUnanswered extends ControlError {}

/** How often a call is sent until it gets an answer. */
export const CONTROL_ATTEMPTS = 3;

const SHOWN_CHARACTERS = 200;
const CAPABILITIES: readonly Capability[] = ['reset', 'keys', 'clock', 'inventory'];

interface ControlOptions {
  /** Whether clock and keys are tried, with a key that is not used; by default they are. */
  readonly probes?: boolean;
  /** Afterwards no call is made again. */
  readonly until?: AbortSignal;
  /** Replaces secrets in what errors tell. */
  readonly redact?: (text: string) => string;
}

/** Asks a control URL what it offers. @throws {ControlError} if it does not answer as the contract says */
export async function connectControl(
  url: string,
  timeoutMilliseconds: number,
  { probes = true, until, redact = (text) => text }: ControlOptions = {},
): Promise<ControlClient> {
  const { callOnce, call } = openCalls(url, timeoutMilliseconds, { until, redact });
  const root = await call('GET', '/');
  if (!isUnsupported(root)) {
    expectSuccess(root, 'GET /');
  }
  const capabilities = readCapabilities(root, url);
  if (probes) {
    await probe(capabilities, call);
  }
  return {
    url,
    capabilities,
    readClock: async () =>
      readNow(await call('GET', '/')) ?? readNow(await call('POST', '/clock', { advanceSeconds: 0 })),
    advance: async (seconds) => {
      const answer = await callOnce('POST', '/clock', { advanceSeconds: seconds });
      expectSuccess(answer, 'POST /clock');
      return readNow(answer) ?? refuseClock(answer);
    },
    issueKey: async (order) => {
      const answer = await call('POST', '/keys', { ...order });
      expectSuccess(answer, 'POST /keys');
      const key = readMember(answer.text, 'key');
      if (typeof key !== 'string') {
        throw new ControlError('The control URL answered POST /keys without a string "key"');
      }
      return key;
    },
    revokeKey: async (key) => {
      const answer = await call('DELETE', `/keys/${encodeURIComponent(key)}`);
      expectSuccess(answer, 'DELETE /keys/{key}');
    },
    reset: async () => expectSuccess(await call('POST', '/reset'), 'POST /reset'),
    replaceInventory: async (items) => {
      const answer = await call('PUT', '/inventory', items);
      if (isUnsupported(answer)) {
        capabilities.delete('inventory');
      }
      expectSuccess(answer, 'PUT /inventory');
    },
  };
}

/** What a control URL answered, with the moments between which it did (monotonic milliseconds). */
interface ControlAnswer {
  readonly status: number;
  readonly text: string;
  /** What may be shown of its text. */
  readonly shown: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: JsonValue,
) => Promise<ControlAnswer>;

// What is issued for all checks at once waits in line.
const CONNECTIONS = 16;

/** How the control URL is called: once, or until it answers. */
function openCalls(
  url: string,
  timeoutMilliseconds: number,
  { until, redact }: { readonly until: AbortSignal | undefined; readonly redact: (text: string) => string },
): { readonly callOnce: Call; readonly call: Call } {
  const { origin, pathname } = new URL(url);
  const basePath = pathname.replace(/\/$/, '');
  const pool = openConnections(origin, CONNECTIONS, {
    timeoutMilliseconds,
    insecure: false,
    certificateAuthority: null,
  });
  const callOnce: Call = async (method, path, body) => {
    const sentAt = performance.now();
    const content =
      body === undefined
        ? { headers: [], body: null }
        : { headers: [['Content-Type', 'application/json']] as const, body: stringifyJson(body) };
    try {
      const response = await pool.send({ method, path: basePath + path, ...content });
      const text = response.body.toString();
      const shown = redact(text).slice(0, SHOWN_CHARACTERS);
      return { status: response.status, text, shown, sentAt, receivedAt: performance.now() };
    } catch (error) {
      const reason = messageOf(error);
      throw new ControlUnanswered(
        `The control URL ${url} does not answer ${method} ${redact(path)}: ${redact(reason)}.`,
        { cause: error },
      );
    }
  };
  const call: Call = async (...order) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await callOnce(...order);
      } catch (error) {
        const isLast = attempt === CONTROL_ATTEMPTS || until?.aborted === true;
        if (isLast || !(error instanceof ControlUnanswered)) {
          throw error;
        }
      }
    }
  };
  return { callOnce, call };
}

function readCapabilities(root: ControlAnswer, url: string): Set<Capability> {
  const offered = isUnsupported(root) ? [] : readMember(root.text, 'capabilities');
  if (!Array.isArray(offered)) {
    throw new ControlError(
      `The control URL ${url} names no capabilities; is it the control port of the target?`,
    );
  }
  return new Set(CAPABILITIES.filter((capability) => offered.includes(capability)));
}

/** Drops clock and keys if they are named but not served. */
async function probe(capabilities: Set<Capability>, call: Call): Promise<void> {
  if (capabilities.has('clock')) {
    const answer = await call('POST', '/clock', { advanceSeconds: 0 });
    if (!isSuccess(answer)) {
      capabilities.delete('clock');
    } else if (readNow(answer) === undefined) {
      refuseClock(answer);
    }
  }
  if (capabilities.has('keys') && isUnsupported(await call('POST', '/keys', { plan: 'free' }))) {
    capabilities.delete('keys');
  }
}

function readMember(text: string, member: string): JsonValue | undefined {
  const value = parseIfJson(text);
  return isJsonObject(value) ? value[member] : undefined;
}

function expectSuccess(answer: ControlAnswer, what: string): void {
  if (!isSuccess(answer)) {
    const message = `The control URL answered ${answer.status} to ${what}: ${answer.shown}`;
    throw isUnsupported(answer) ? new NotServed(message) : new ControlError(message);
  }
}

function isSuccess({ status }: ControlAnswer): boolean {
  return status >= 200 && status <= 299;
}

function isUnsupported({ status }: ControlAnswer): boolean {
  return status === 404 || status === 501;
}

// In the year 5138; what is beyond it is in milliseconds.
const LATEST_UNIX_SECONDS = 1e11;

function readNow({ text, sentAt, receivedAt }: ControlAnswer): ClockReading | undefined {
  const now = readMember(text, 'now');
  return typeof now === 'number' && now >= 0 && now < LATEST_UNIX_SECONDS
    ? { now, sentAt, receivedAt }
    : undefined;
}

function refuseClock({ shown }: ControlAnswer): never {
  throw new ControlError(
    `The control URL answered POST /clock without the time: "now" has to be a number of Unix seconds, and the answer is ${shown}.`,
  );
}
