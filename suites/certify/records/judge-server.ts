import { PLAN_LIMITS, type Plan } from '../../../contract/plans.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import {
  requirement,
  SERVER_REQUIREMENTS,
  type RequirementId,
} from '../../../contract/requirements/index.ts';
import {
  collectJudgements,
  followServerClock,
  isMalformed,
  newUsage,
  readRequest,
  seenExchange,
  tellInOrder,
  type Key,
  type RequestMessage,
} from '../../oracle/index.ts';
import { beginHistory, createTargetClient, judgeExchange, type TargetClient } from '../../target/index.ts';
import { CLIENT_KEY_LABEL } from './record-client-exchange.ts';
import type { ScenarioRecord, ClientExchange } from './record.ts';
import { contentOf } from './traffic-reading.ts';

/** The plan of the key that a client gets; others may use the key as well. */
export const CLIENT_PLAN = 'business' satisfies Plan;

/** What the oracle says of the server that a client talked to. */
export interface ServerJudgement {
  /** Responses that were judged. */
  readonly responses: number;
  /** What no server that keeps the specification could have answered, beyond what the scenario breaks on purpose. */
  readonly accusations: readonly {
    readonly scenario: string;
    readonly requirement: RequirementId;
    readonly message: string;
  }[];
}

/**
 * Has the oracle and the monitors judge each response of the server in a scenario, so that what is said of the client
 * rests on a server which kept the specification. A pure function of the record.
 */
export function judgeServer(
  record: Pick<ScenarioRecord, 'scenario' | 'traffic' | 'baseUrl' | 'apiKey'>,
): ServerJudgement {
  const { scenario, traffic } = record;
  const [first] = traffic.exchanges;
  if (first === undefined) {
    return { responses: 0, accusations: [] };
  }
  const start = first.receivedAt * 1_000;
  const clock = followServerClock();
  // The moments of a record are the server's own.
  clock.learnFromControl({ earliest: first.receivedAt, latest: first.receivedAt }, start);
  const history = beginHistory(clock);
  const judgements = collectJudgements();
  const client = createTargetClient(
    { origin: '', basePath: '', headers: [] },
    { signal: new AbortController().signal, clock, history, judgements },
  );
  const key = keyOf(record);
  if (scenario.revokedKey === true) {
    history.tell({ type: 'key-revoked-before', secret: key.secret });
  } else {
    history.tell({ type: 'key-known', key });
  }
  history.tell({ type: 'inventory-replacement-begun', at: start });
  history.tell({ type: 'inventory-replaced', items: scenario.inventory, from: start, at: start });
  const responses = replay(record, client, key);
  const onPurpose = new Set<RequirementId>(scenario.breaks ?? []);
  return {
    responses,
    accusations: SERVER_REQUIREMENTS.flatMap(({ id }) => {
      const { outcome, findings } = judgements.judgementOf(id);
      const isAccused = outcome === 'fail' && requirement(id).level === 'must' && !onPurpose.has(id);
      return isAccused
        ? [{ scenario: scenario.id, requirement: id, message: findings[0]?.message ?? '' }]
        : [];
    }),
  };
}

function keyOf({ apiKey }: Pick<ScenarioRecord, 'apiKey'>): Key {
  return {
    label: CLIENT_KEY_LABEL,
    secret: apiKey,
    plan: CLIENT_PLAN,
    limits: PLAN_LIMITS[CLIENT_PLAN],
    issued: false,
    usedToday: 0,
    usage: newUsage(),
  };
}

/** Tells of beginnings and ends in the order in which they happened. @returns how many responses were judged */
function replay(
  { traffic, baseUrl, scenario }: Pick<ScenarioRecord, 'scenario' | 'traffic' | 'baseUrl'>,
  client: TargetClient,
  key: Key,
): number {
  const ours = traffic.exchanges.flatMap((exchange, id) => {
    const request = messageOf(exchange, baseUrl);
    return request === null ? [] : [{ id, exchange, request }];
  });
  tellInOrder(
    ours,
    ({ exchange }) => ({ from: exchange.receivedAt, to: exchange.answeredAt }),
    ({ id, exchange, request }) => {
      const { receivedAt, answeredAt, response } = exchange;
      const fields = headerValues(request.headers, 'Authorization');
      const sentAt = receivedAt * 1_000;
      client.history.tell({
        type: 'request-sent',
        id,
        request,
        authorization: [],
        spender: null,
        at: sentAt,
      });
      const isPresented = fields.length === 1 && fields[0] === `Bearer ${key.secret}`;
      const carried = isPresented && scenario.revokedKey !== true ? key : null;
      const spender = carried?.label ?? null;
      return () => {
        const { status, headers } = response;
        const moments = { sentAt, receivedAt: (answeredAt ?? receivedAt) * 1_000 };
        const answer = { status, headers, body: contentOf(response) };
        judgeExchange(client, seenExchange(request, spender, answer, moments), {
          key: carried,
          spender,
          fields: fields.length,
          id,
        });
      };
    },
  );
  return ours.filter(({ exchange }) => exchange.answeredAt !== null).length;
}

/** The request with its path relative to the base address, or `null` if it went elsewhere. */
function messageOf({ request }: ClientExchange, baseUrl: string): RequestMessage | null {
  const { origin, pathname } = new URL(baseUrl);
  const target = request.target.startsWith(`${origin}/`)
    ? request.target.slice(origin.length)
    : request.target;
  if (!target.startsWith(`${pathname}/`)) {
    return null;
  }
  const { method, headers, body } = request;
  const message = {
    method,
    path: target.slice(pathname.length),
    headers,
    body: body.length === 0 ? null : body,
  };
  const { target: reading } = readRequest({ ...message, operation: null });
  return {
    ...message,
    operation: reading.kind === 'documented' && !isMalformed(headers) ? reading.operation : null,
  };
}
