import { CLIENT_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { collectJudgements, type Judgements } from '../oracle/index.ts';
import { isStuck } from './judges/completion.ts';
import { judgeRecord, rarityOf, type ScenarioJudgement, wasLate } from './records/judge-record.ts';
import { judgeServer, type ServerJudgement } from './records/judge-server.ts';
import { judgeTogether, type JointFailure } from './records/judge-together.ts';
import { beginActivity, type ClientPlayOptions, performScenario } from './perform-scenario.ts';
import { HERD_JUDGE, judgeHerd } from './herd/judge-herd.ts';
import { type HerdFigures, playHerd } from './herd/play-herd.ts';
import type { ScenarioRecord, Counterparty } from './records/record.ts';
import type { ClientScenario } from './scenarios/scenario.ts';
import { sideBySide } from './side-by-side.ts';

export interface ClientRunOptions extends ClientPlayOptions {
  readonly scenarios: readonly ClientScenario[];
  /** Clients that are started together in the end, to see how they come back; none by default. */
  readonly herd?: number | null;
  readonly listener: CertifyListener;
}

/** Is told what happens while it happens. */
export interface CertifyListener {
  readonly onScenarioStart?: (scenario: ClientScenario, counterparty: Counterparty) => void;
  readonly onScenarioEnd?: (record: JudgedRecord) => void;
  /** How many clients are started together now. */
  readonly onHerd?: (clients: number) => void;
}

/** A scenario as it went, and what was said of it. */
export interface JudgedRecord extends ScenarioRecord {
  readonly judgement: ScenarioJudgement;
  /** What the oracle said of the server. */
  readonly server: ServerJudgement;
}

export type CertifyResult = Awaited<ReturnType<typeof certifyClient>>;

/** Runs a client through scenarios and judges what it did. @throws if the client cannot be started */
export async function certifyClient(options: ClientRunOptions) {
  const { scenarios, jobs, signal, listener } = options;
  const startedAt = new Date();
  const started = performance.now();
  const records: JudgedRecord[] = [];
  const stuck = new AbortController();
  const shared = beginActivity();
  const longestFirst = scenarios.toSorted((left, right) => right.seconds - left.seconds);
  for (const batch of options.driver.starts === 'one' ? batchesForOne(longestFirst) : [longestFirst]) {
    await sideBySide(batch, jobs, AbortSignal.any([signal, stuck.signal]), async (scenario) => {
      const play = async (): Promise<JudgedRecord> => {
        const record = await performScenario(scenario, options, shared, listener.onScenarioStart);
        // Said of all in the order of the scenarios below, whichever ended first.
        const server = judgeServer(record);
        return { ...record, server, judgement: judgeRecord(record, collectJudgements(), server) };
      };
      let judged = await play();
      for (let left = AGAIN_IF_LATE; left > 0 && mayGoOtherwise(judged, options); left -= 1) {
        judged = await play();
      }
      records.push(judged);
      if (records.length >= Math.min(jobs, batch.length) && isStuck(records)) {
        stuck.abort();
      }
      listener.onScenarioEnd?.(judged);
    });
  }
  const ordered = scenarios.flatMap((each) => records.filter(({ scenario }) => scenario === each));
  const herd = stuck.signal.aborted ? null : await startHerd(options);
  return {
    ...judgeRecords(ordered, herd),
    interrupted: signal.aborted,
    /** Scenarios that were not begun, since the client had sent or reported nothing in any of those before, or exited in none. */
    leftOut: stuck.signal.aborted
      ? scenarios.filter((each) => !records.some(({ scenario }) => scenario === each))
      : [],
    startedAt,
    durationSeconds: (performance.now() - started) / 1_000,
  };
}

/** How often a scenario is played again in which the machine was too busy to say anything of the client. */
const AGAIN_IF_LATE = 2;

function mayGoOtherwise(judged: JudgedRecord, { driver, signal, finish }: ClientRunOptions): boolean {
  const isOpen = wasLate(judged) && judged.judgement.outcome === 'inconclusive';
  return isOpen && driver.starts !== 'nobody' && !signal.aborted && !finish.aborted;
}

async function startHerd(options: ClientRunOptions): Promise<HerdFigures | null> {
  const { herd: clients = null, signal, finish, listener } = options;
  if (clients === null || signal.aborted || finish.aborted) {
    return null;
  }
  listener.onHerd?.(clients);
  const herd = await playHerd(clients, options);
  return signal.aborted ? null : herd;
}

/** Judges scenarios as they went, each by itself and all together, and how clients came back. A pure function of them. */
export function judgeRecords(
  records: readonly (ScenarioRecord & { readonly server?: ServerJudgement })[],
  herd: HerdFigures | null = null,
) {
  const judgements = collectJudgements();
  const inTurn = records.toSorted((one, other) => rarityOf(one.scenario) - rarityOf(other.scenario));
  const inTheirTurn = new Map(
    inTurn.map((record) => {
      const { server = judgeServer(record) } = record;
      return [record, { ...record, server, judgement: judgeRecord(record, judgements, server) }] as const;
    }),
  );
  const judged = records.flatMap((record) => inTheirTurn.get(record) ?? []);
  const sound = judged.filter(({ server }) => server.accusations.length === 0);
  const joint = judgeTogether(sound, judgements);
  return {
    records: judged.map((record) => withJointFailure(record, joint)),
    /** How clients that were started together came back; `null` if none were, or the run was interrupted. */
    herd,
    /** What the oracle said of the server that those met; `null` without them. */
    herdServer: herd === null ? null : judgeHerdAndServer(herd, judgements),
    judgements: CLIENT_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
    observations: judgements.observations(),
  };
}

/** @returns what the oracle says of the server */
function judgeHerdAndServer(herd: HerdFigures, judgements: Judgements): ServerJudgement {
  const records = new Set(herd.refusals.flat().map(({ record }) => record));
  const judged = [...records].map(judgeServer);
  const server = {
    responses: judged.reduce((sum, { responses }) => sum + responses, 0),
    accusations: judged
      .flatMap(({ accusations }) => accusations)
      .map(({ requirement, message }) => ({ scenario: HERD_JUDGE.id, requirement, message })),
  };
  const [accusation] = server.accusations;
  if (accusation === undefined) {
    judgeHerd(herd, judgements);
  } else {
    const message = `The server of stockcheck did not keep the specification when clients were refused together. ${accusation.message}`;
    HERD_JUDGE.judges.forEach((id) => judgements.inconclusive(HERD_JUDGE.id, id, { message }));
  }
  return server;
}

function withJointFailure(record: JudgedRecord, joint: JointFailure | null): JudgedRecord {
  if (joint?.records.has(record) !== true) {
    return record;
  }
  return {
    ...record,
    judgement: {
      ...record.judgement,
      outcome: 'fail',
      failures: [...record.judgement.failures, joint.message],
    },
  };
}

/**
 * The shortest comes first and alone, since it shows whether the client replies at all. What is let go takes the client's
 * process with it, and what that works at beside; so each comes alone, at last.
 */
function batchesForOne(scenarios: readonly ClientScenario[]): readonly (readonly ClientScenario[])[] {
  const { alone = [], together = [] } = Object.groupBy(scenarios, ({ letGoAfterSeconds }) =>
    letGoAfterSeconds === undefined ? 'together' : 'alone',
  );
  const [first] = together.toSorted((one, other) => one.seconds - other.seconds);
  const others = together.filter((scenario) => scenario !== first);
  return [...(first === undefined ? [] : [[first]]), others, ...alone.map((scenario) => [scenario])];
}
