import {
  keyLabel,
  requestsOfTrail,
  type Trail,
  type TrailAnswer,
  type TrailRequest,
  type TrailStep,
} from '../../contract/trail.ts';
import { sentText, rowOfRequests, rowOfStep, type TrailRow } from './trail.ts';
import { formatNumber, printableLine } from './words.ts';

type Send = Extract<TrailStep, { readonly do: 'send' }>;

// More pets than that say only that the inventory was filled.
const FEW_PETS = 2;

/**
 * What of a trail shows the violation: the requests that it rests on and, if a single answer does not show it, what was
 * waited for and what else was sent with its key, in one line.
 */
export function proofRows(trail: Trail): readonly TrailRow[] {
  const proof = provingOf(trail);
  const isInOne = trail.takesSeveral !== true;
  // Of several answers each says what it has to; of one, the requests before it say why it is wrong.
  const counts = !isInOne && proof.size === 1;
  const keys = new Set([...proof].map(({ key }) => key));
  const rows: TrailRow[] = [];
  // If counts matter, one request proves it, and so all others have its key.
  let others: { readonly step: Send; readonly request: TrailRequest }[] = [];
  const flush = (): void => {
    const [first] = others;
    if (first !== undefined) {
      const requests = others.map(({ request }) => request);
      rows.push(joined(first.step, requests, trail));
    }
    others = [];
  };
  const isShown = (step: TrailStep): boolean =>
    step.do === 'send'
      ? step.requests.some((request) => keys.has(request.key) && (counts || proof.has(request)))
      : isInOne
        ? setsOut(step, proof)
        : isTelling(step, keys, proof);
  for (const step of joinWaits(trail.steps.filter(isShown))) {
    if (step.do !== 'send') {
      flush();
      rows.push(rowOfStep(step, trail.keys));
      continue;
    }
    const own = step.requests.filter(({ key }) => keys.has(key));
    if (counts && step.connections > 1 && own.some((request) => proof.has(request))) {
      flush();
      rows.push(joined(step, own, trail));
      continue;
    }
    for (const request of own) {
      if (proof.has(request)) {
        flush();
        rows.push(joined(step, [request], trail));
      } else if (counts) {
        others.push({ step, request });
      }
    }
  }
  return rows;
}

/** Waits with nothing shown between them are one. */
function joinWaits(steps: readonly TrailStep[]): readonly TrailStep[] {
  const rows: TrailStep[] = [];
  for (const step of steps) {
    const last = rows.at(-1);
    if (step.do === 'wait' && last?.do === 'wait') {
      const seconds = Math.round(step.at + 1000 * step.seconds - last.at) / 1000;
      rows[rows.length - 1] = { do: 'wait', at: last.at, seconds };
    } else {
      rows.push(step);
    }
  }
  return rows;
}

/** Trails of earlier versions do not say which they are: the last one decides. */
function provingOf(trail: Trail): ReadonlySet<TrailRequest> {
  const all = requestsOfTrail(trail);
  const proving = all.filter(({ proves }) => proves === true);
  return new Set(proving.length === 0 ? all.slice(-1) : proving);
}

/** Whether it fills the inventory with what the proof asks for. */
function setsOut(step: Exclude<TrailStep, Send>, proof: ReadonlySet<TrailRequest>): boolean {
  return (
    step.do === 'replace inventory' &&
    step.items.length <= FEW_PETS &&
    [...proof].some(({ path }) => step.items.some(({ petId }) => path === `/inventory/${petId}`))
  );
}

function isTelling(
  step: Exclude<TrailStep, Send>,
  keys: ReadonlySet<number | null>,
  proof: ReadonlySet<TrailRequest>,
): boolean {
  switch (step.do) {
    case 'issue key':
      return keys.has(step.key);
    case 'replace inventory':
      return setsOut(step, proof);
    case 'revoke key':
    case 'wait':
      return true;
  }
}

/** Requests with the same key in one line. */
function joined(step: Send, requests: readonly TrailRequest[], { keys }: Trail): TrailRow {
  const [first] = requests;
  if (first !== undefined && requests.length === 1) {
    const { times, answers } = first;
    return rowOfRequests({ step, text: sentText(first, keys), times, answers });
  }
  const times = requests.reduce((sum, request) => sum + request.times, 0);
  const key = first?.key ?? null;
  const as = key === null ? 'no key' : printableLine(keyLabel(keys, key));
  return rowOfRequests({
    step,
    text: `${formatNumber(times)} requests (${as})`,
    times,
    answers: answersByStatus(requests),
  });
}

function answersByStatus(requests: readonly TrailRequest[]): readonly TrailAnswer[] {
  const all = new Map<number | null, TrailAnswer>();
  for (const answer of requests.flatMap(({ answers }) => answers)) {
    const known = all.get(answer.status) ?? { ...answer, times: 0 };
    all.set(answer.status, {
      ...known,
      times: known.times + answer.times,
      last: answer.last,
      body: answer.body,
    });
  }
  return [...all.values()];
}
