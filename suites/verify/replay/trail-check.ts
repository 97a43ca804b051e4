import type { RequirementId } from '../../../contract/requirements/index.ts';
import {
  trailInWholeRun,
  type PlaceInWholeRun,
  type Trail,
  type TrailRequest,
  type WholeRun,
} from '../../../contract/trail.ts';
import type { Capability } from '../../target/index.ts';
import { isAsExpected, listInventory, type NoResponse } from '../../target/index.ts';
import { type Key, planningLimits } from '../../oracle/index.ts';
import { Undecided } from '../check-context.ts';
import type { Check } from '../check.ts';
import { needOf, playTrail, type PlayedTrail } from './play-trail.ts';

/** The check that a replay consists of. */
const REPLAY = 'replay';

/** A trail as a check: it sends the trail again, and judges what the trail led to. */
export function trailCheck(trail: Trail, id: RequirementId): Check {
  const requests = trail.steps.flatMap((step) => (step.do === 'send' ? step.requests : []));
  const counts = trail.keys.map((_, index) => countOf(requests, index + 1));
  const isIssued = trail.keys.some(({ issued }) => issued);
  const control = capabilitiesOf(trail);
  const attempts = isIssued ? trail.attempts : 1;
  const issuedInIt = new Set(trail.steps.flatMap((step) => (step.do === 'issue key' ? [step.key] : [])));
  const usable = trail.keys.flatMap((key, index) =>
    key.revoked === true || !issuedInIt.has(index + 1)
      ? []
      : [
          {
            number: index + 1,
            need: needOf(key, counts[index] ?? 0, isEverRefused(requests, index + 1)),
          },
        ],
  );
  return {
    id: REPLAY,
    title: 'What led to the finding, once more',
    judges: [id],
    needs: {
      profile: profileOf(trail, requests, counts),
      keys: usable.map(({ need }) => ({ ...need, rounds: attempts })),
      ...(control.length === 0 ? {} : { control }),
      ...(requests.some(isWrite) ? { pets: Math.max(1, trail.wrote.length), worksWithoutPets: true } : {}),
      ...(trail.keys.some(({ revoked }) => revoked) ? { revokedKey: true } : {}),
      alone: true,
    },
    anonymousRequests: attempts * countOf(requests, null) + shiftsAmong(attempts),
    run: async (context) => {
      const issues = context.control?.capabilities.has('keys') === true;
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        if (issues && isShifted(attempt)) {
          const key = await context.issue({ plan: 'free', use: 'share', requests: 1 });
          await context.send(listInventory(), { key });
        }
        const keyOf = async (number: number): Promise<Key> => {
          const index = usable.findIndex((one) => one.number === number);
          const use = usable[index];
          const leased = context.keys[index];
          if (use !== undefined && issues) {
            return context.issue(use.need);
          }
          if (leased === undefined || leased === null) {
            throw new Undecided(`There is no key for KEY_${number}.`);
          }
          return leased;
        };
        const played = await playTrail(context, trail, keyOf);
        const holds = await judgePlayed(trail, played, async (error) =>
          context.judgeDropped(id, error, true),
        );
        if (holds === null && trail.isOracles !== true) {
          continue;
        }
        // If the oracle accuses again, that outweighs this.
        context.judge(
          id,
          holds ?? true,
          'The trail was sent again, and showed the same.',
          decisiveOf(trail, played),
        );
        if (holds === false) {
          return;
        }
      }
      if (trail.expectation === null && trail.isOracles !== true) {
        context.inconclusive(
          id,
          `The trail was sent again, and its answers alone do not tell whether the fault is there. The check that found it can: stockcheck verify --only ${id}`,
        );
      }
    },
  };
}

/** What a whole run did until a finding, as a check: with keys that are issued for it, since it takes those of all checks. */
export function wholeRunCheck(run: WholeRun, place: PlaceInWholeRun, id: RequirementId): Check {
  const check = trailCheck(trailInWholeRun(run, place), id);
  const control = new Set<Capability>([...(check.needs.control ?? []), 'keys']);
  return {
    ...check,
    title: 'What the whole run did until the finding, once more',
    needs: { ...check.needs, control: [...control] },
  };
}

/** @returns `null` if the answers alone do not tell; what the oracle says of the exchanges it has said */
async function judgePlayed(
  { expectation }: Trail,
  { answers, lost, isUnaltered }: PlayedTrail,
  judgeDropped: (error: NoResponse) => Promise<void>,
): Promise<boolean | null> {
  for (const error of lost) {
    await judgeDropped(error);
  }
  return expectation === null || isUnaltered ? null : isAsExpected(expectation, answers);
}

/**
 * Whether a list comes before that attempt, counted from 0: before 1, 3, 6, 10 and so on. What a target does to every n-th
 * request would otherwise keep in step with the attempts, and never meet the request that shows it.
 */
function isShifted(attempt: number): boolean {
  const row = Math.floor(Math.sqrt(2 * attempt));
  return attempt > 0 && (row * (row + 1)) / 2 === attempt;
}

function shiftsAmong(attempts: number): number {
  return Array.from({ length: attempts }, (_, attempt) => attempt).filter(isShifted).length;
}

/** The answer that the expectation is about, or the last one. */
function decisiveOf({ expectation }: Trail, { exchanges }: PlayedTrail) {
  const number = expectation !== null && 'answer' in expectation ? expectation.answer : null;
  return number === null ? exchanges.findLast((exchange) => exchange !== undefined) : exchanges[number - 1];
}

function countOf(requests: readonly TrailRequest[], key: number | null): number {
  return requests
    .filter((request) => request.key === key)
    .reduce((sum, { times, answers }) => sum + times + RESENT * lostAmong(answers), 0);
}

// What gets no response is sent again, and the target is asked if it still answers.
const RESENT = 6;

function lostAmong(answers: TrailRequest['answers']): number {
  return answers.reduce((sum, { status, times }) => sum + (status === null ? times : 0), 0);
}

function isEverRefused(requests: readonly TrailRequest[], key: number): boolean {
  return requests
    .filter((request) => request.key === key)
    .some(({ answers }) => answers.some(({ status }) => status === 429));
}

function isWrite({ method }: TrailRequest): boolean {
  return method !== 'GET';
}

function capabilitiesOf({ steps, keys }: Trail): readonly Capability[] {
  const takesKeys =
    steps.some((step) => step.do === 'revoke key') || keys.some(({ usedToday }) => usedToday > 0);
  const takesInventory = steps.some((step) => step.do === 'replace inventory');
  return [...(takesKeys ? (['keys'] as const) : []), ...(takesInventory ? (['inventory'] as const) : [])];
}

/** What goes beyond a limit takes keys that are given for that. */
function profileOf(
  { keys }: Trail,
  requests: readonly TrailRequest[],
  counts: readonly number[],
): Check['needs']['profile'] {
  const isBeyond = keys.some(
    ({ plan, perMinute, perDay }, index) =>
      (counts[index] ?? 0) >=
      planningLimits({ plan, limits: perMinute === null || perDay === null ? null : { perMinute, perDay } })
        .perMinute,
  );
  return isBeyond ? 'full' : requests.some(isWrite) ? 'standard' : 'safe';
}
