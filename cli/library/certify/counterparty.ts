import { randomBytes } from 'node:crypto';

import { fieldsOf } from '../../../contract/field-names.ts';
import { parseRetryAfter } from '../../../contract/retry-after.ts';
import {
  type Alteration,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
  headerOf,
  type ServiceParts,
  startReferenceServer,
} from '../../../reference-server/index.ts';
import {
  CLIENT_PLAN,
  TOLERANCE_SECONDS,
  type ClientScenario,
  type ClientTask,
  type ScriptedAnswer,
  type ClientExchange,
  type Counterparty,
  type Traffic,
} from '../../../suites/certify/index.ts';
import { scriptedAnswer } from './scripted-answer.ts';
import { TRAITS } from './traits.ts';

/** As many early requests as the reference lets pass before it bans. */
const EARLY_BEFORE_BAN = 10;
const BAN_SECONDS = 60;

/** An exchange whose answer may be still to come. */
type Open = { -readonly [Name in keyof ClientExchange]: ClientExchange[Name] };

/**
 * Starts the reference server as the counterparty of a scenario; it records the traffic on its own clock.
 * @param host the address to listen on
 * @param choices what the specification leaves open and the service does otherwise than the reference
 */
export async function startCounterparty(
  scenario: ClientScenario,
  host: string,
  choices: readonly Alteration[] = [],
): Promise<Counterparty> {
  // With every kind of character that a bearer token may hold (RFC 6750, section 2.1).
  const apiKey = `vendor-${randomBytes(12).toString('base64url')}.~+/=`;
  const seen = beginTraffic();
  const other =
    scenario.script?.(0)?.kind === 'redirected' ? await startElsewhere(seen.elsewhere, seen.tell) : null;
  const turns: Turns = new WeakMap();
  const scripting: Alteration = {
    service: (service, parts) => ({
      ...service,
      respond: (request) => {
        const turn = turns.get(request);
        return turn === undefined ? service.respond(request) : answer(service, parts, scenario, turn);
      },
    }),
  };
  const recording = recordTraffic(seen, turns, other?.origin ?? null);
  const server = await startReferenceServer({
    host,
    control: false,
    inventory: scenario.inventory,
    keys: [{ key: apiKey, plan: CLIENT_PLAN, revoked: scenario.revokedKey === true }],
    graceMilliseconds: 0,
    // No scenario takes as long, so that none closes a connection but the one that is about it.
    keepAliveMilliseconds: 300_000,
    alterations: [scripting, ...choices, ...(scenario.traits ?? []).map((trait) => TRAITS[trait]), recording],
  });
  return {
    baseUrl: server.url,
    apiKey,
    traffic: (): Traffic => {
      const { exchanges, droveIntoBan, malformed, elsewhere } = seen;
      const copies = exchanges.map((open) => Object.assign({}, open));
      return { exchanges: copies, droveIntoBan, malformed: malformed[0] ?? null, elsewhere };
    },
    activity: seen.activity,
    close: async () => {
      await Promise.all([server.close(), other?.close()]);
    },
  };
}

/** What a client has sent so far. */
function beginTraffic() {
  let next = Promise.withResolvers<void>();
  return {
    exchanges: new Array<Open>(),
    elsewhere: new Array<ClientExchange['request']>(),
    droveIntoBan: false,
    malformed: new Array<string>(),
    /** Requests with the client's key. */
    turnsTaken: 0,
    tell: (): void => {
      next.resolve();
      next = Promise.withResolvers();
    },
    activity: () => next.promise,
  };
}

/** Records what is sent and answered in `seen`, and which request takes which turn in `turns`. */
function recordTraffic(
  seen: ReturnType<typeof beginTraffic>,
  turns: Turns,
  elsewhere: string | null,
): Alteration {
  const { exchanges, tell } = seen;
  return {
    service: (service, parts) => ({
      refuse: (refusal) => {
        seen.malformed.push(refusal.message);
        return service.refuse(refusal);
      },
      respond: async (request) => {
        const receivedAt = parts.clock.now();
        const carriesKey = typeof parts.authenticate(request, parts.keys) === 'object';
        const number = carriesKey ? seen.turnsTaken : null;
        seen.turnsTaken += number === null ? 0 : 1;
        const open: Open = {
          receivedAt,
          answeredAt: null,
          connection: request.connection.id,
          request: { ...lineOf(request), body: Buffer.alloc(0) },
          response: { status: 0, headers: [], body: Buffer.alloc(0) },
          allowedAt: null,
        };
        exchanges.push(open);
        tell();
        const reading = await request.readBody();
        const body = reading.state === 'complete' ? Buffer.from(reading.bytes) : Buffer.alloc(0);
        open.request = { ...open.request, body };
        seen.droveIntoBan ||= countEarly(exchanges) > EARLY_BEFORE_BAN;
        const again: ServiceRequest = {
          ...request,
          target: withoutDotSegments(request.target),
          readBody: () => Promise.resolve(reading),
        };
        turns.set(again, { request: again, number, body, isBanned: seen.droveIntoBan, elsewhere });
        const response = await service.respond(again);
        open.answeredAt = parts.clock.now();
        open.response = {
          status: response.status,
          headers: fieldsOf(response.headers),
          body: Buffer.from(response.body),
        };
        open.allowedAt = allowedAt(response, open.answeredAt);
        tell();
        return {
          ...response,
          onLost: () => {
            open.isLost = true;
            open.allowedAt = null;
          },
        };
      },
    }),
  };
}

type Turns = WeakMap<ServiceRequest, Turn>;

interface Turn {
  readonly request: ServiceRequest;
  /** Of the request among those with the client's key, from 0; `null` without that key. */
  readonly number: number | null;
  readonly body: Buffer;
  readonly isBanned: boolean;
  /** Origin of another host, for a redirect. */
  readonly elsewhere: string | null;
}

const BANNED: ScriptedAnswer = {
  kind: 'banned',
  status: 429,
  retryAfter: { form: 'delta-seconds', seconds: BAN_SECONDS },
};

/** A script answers what it was written for; anything else is answered by the service, as the specification says. */
async function answer(
  service: Service,
  parts: ServiceParts,
  { script, hold, task }: ClientScenario,
  { request, number, body, isBanned, elsewhere }: Turn,
): Promise<ServiceResponse> {
  if (number !== null) {
    await hold?.(number);
  }
  const scripted = number === null ? null : isBanned ? BANNED : (script?.(number) ?? null);
  const concernsTask = scripted?.kind === 'refused' || scripted?.kind === 'redirected';
  return scripted === null || (concernsTask && !asksFor(task, parts, request, body))
    ? service.respond(request)
    : scriptedAnswer(scripted, parts, { target: request.target, elsewhere });
}

const DOT_SEGMENT = /[/](?:[.]|%2e){1,2}(?=[/?]|$)/i;

/** The judges take a path with dot segments for the one without, so that it is answered like that. */
function withoutDotSegments(target: string): string {
  const url = DOT_SEGMENT.test(target) ? URL.parse(`http://host${target}`) : null;
  return url === null ? target : `${url.pathname}${url.search}`;
}

/** Whether a request asks for what the client was told to do. */
function asksFor(
  task: ClientTask,
  { route, readPetId, readUpdate }: ServiceParts,
  { method, target }: ServiceRequest,
  body: Buffer,
): boolean {
  const match = route(method, target);
  if (match.kind !== 'operation' || match.operation !== task.operation) {
    return false;
  }
  if (task.operation === 'listInventory') {
    return true;
  }
  const update = readUpdate(body);
  return (
    readPetId(match.petId) === task.petId &&
    'quantity' in update &&
    BigInt(update.quantity) === BigInt(task.quantity)
  );
}

/** Requests that came before the wait which an earlier answer asked for was over. */
function countEarly(exchanges: readonly Open[]): number {
  return exchanges.filter(({ receivedAt }, index) =>
    exchanges
      .slice(0, index)
      .some((earlier) => earlier.allowedAt !== null && receivedAt < earlier.allowedAt - TOLERANCE_SECONDS),
  ).length;
}

/** When a client that was answered so may come again, in Unix seconds. */
function allowedAt(response: ServiceResponse, answeredAt: number): number | null {
  const value = headerOf(response, 'Retry-After');
  const reading = value === undefined ? undefined : parseRetryAfter(value);
  if (reading === undefined || response.status < 400) {
    return null;
  }
  return reading.form === 'delta-seconds' ? answeredAt + reading.seconds : reading.unixSeconds;
}

function lineOf({ method, target, headers }: ServiceRequest): Omit<ClientExchange['request'], 'body'> {
  return { method, target, headers: fieldsOf(headers) };
}

/** Another host, to which nothing of the client's is meant to go. */
async function startElsewhere(seen: ClientExchange['request'][], onRequest: () => void) {
  const server = await startReferenceServer({
    control: false,
    graceMilliseconds: 0,
    alterations: [
      {
        service: (service) => ({
          ...service,
          respond: (request) => {
            seen.push({ ...lineOf(request), body: Buffer.alloc(0) });
            onRequest();
            return service.respond(request);
          },
        }),
      },
    ],
  });
  // Another name of the same machine is another host.
  return { origin: new URL(server.url).origin.replace('127.0.0.1', 'localhost'), close: server.close };
}
