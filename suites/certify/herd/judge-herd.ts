import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Judgements } from '../../oracle/index.ts';
import type { ClientJudge } from '../records/record.ts';
import { TOLERANCE_SECONDS, type LimitedWait } from '../records/traffic-reading.ts';
import { recordClientExchange } from '../records/record-client-exchange.ts';
import { returnsOf } from './crowd-returns.ts';
import type { HerdFigures } from './play-herd.ts';

const WAITS: RequirementId = 'client-waits';

/** What is judged of a client that is started many times. */
export const HERD_JUDGE: Omit<ClientJudge, 'judge'> = {
  id: 'herd',
  title: 'How clients come back that were refused together, with --herd',
  judges: ['client-spreads', WAITS],
};

type HerdJudgements = Pick<Judgements, 'pass' | 'fail' | 'observe'>;

export function judgeHerd(herd: HerdFigures, judgements: HerdJudgements): void {
  const { id } = HERD_JUDGE;
  const [first = []] = herd.refusals;
  judgements.observe(id, 'client-spreads', first.length === 0 ? 'gives up' : togetherness(first));
  if (herd.growth !== 'too few') {
    judgements.observe(id, 'client-spreads', herd.growth, 'waits');
  }
  judgeWaits(herd, judgements);
}

function togetherness(waits: readonly LimitedWait[]): string {
  const { busiestShare } = returnsOf(waits);
  if (busiestShare >= 0.9) {
    return 'all within 100 ms';
  }
  return busiestShare >= 0.5 ? 'most within 100 ms' : 'spread';
}

function judgeWaits({ refusals, earliness, clients }: HerdFigures, judgements: HerdJudgements): void {
  const waits = refusals.flat();
  const early = waits.filter(({ after }) => -after >= TOLERANCE_SECONDS);
  const [earliest] = waits.toSorted((one, other) => one.after - other.after);
  if (earliest !== undefined && (earliness.habit !== null || early.length > 0)) {
    judgements.fail(HERD_JUDGE.id, WAITS, {
      message: `${describe({ earliness, clients }, earliest, `${early.length} of ${waits.length}`)} Subtract nothing from Retry-After, begin to count when the answer has arrived, and add a tick if the timer is coarse.`,
      exchange: recordClientExchange(earliest.request, earliest.record),
    });
  } else if (waits.length > 0) {
    judgements.pass(HERD_JUDGE.id, WAITS);
  }
}

function describe(
  { earliness: { habit, early, waits }, clients }: Pick<HerdFigures, 'earliness' | 'clients'>,
  { after, asked }: LimitedWait,
  offences: string,
): string {
  const most = `${(-after * 1_000).toFixed(0)} ms at most, after Retry-After: ${asked}`;
  if (habit === null) {
    return `Of ${clients} clients that were refused together, some tried again before Retry-After had passed: in ${offences} waits by 20 ms or more, by ${most}.`;
  }
  const size = habit.kind === 'share' ? `${(habit.size * 100).toFixed(1)} %` : `${habit.size.toFixed(0)} ms`;
  const kind = {
    amount: `${size}, the same for long and for short waits`,
    share: `${size} of Retry-After`,
    unknown: `${size}, all after the same Retry-After`,
  }[habit.kind];
  return `Clients that were refused together tried again before Retry-After had passed in ${early} of ${waits} waits: by ${kind} (as the median; by ${most}).`;
}
