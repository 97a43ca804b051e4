import { messageOf } from '../../../contract/error-text.ts';
import { PLAN_LIMITS } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import {
  keyLabel,
  requestsOfTrail,
  type Trail,
  type TrailKey,
  type TrailRequest,
} from '../../../contract/trail.ts';
import {
  listInventory,
  LONGEST_REAL_WAIT_SECONDS,
  type Capability,
  type KeyNeed,
  type Pet,
  type PetLeases,
} from '../../target/index.ts';
import { planningLimits, readRequest, type Key } from '../../oracle/index.ts';
import { type Check, type CheckContext, Undecided } from '../../stimuli/index.ts';
import { playTrail } from './play-trail.ts';

/** The check that a replay consists of. */
const REPLAY = 'replay';

/**
 * A trail as a check: it sends the trail again, which the oracle and the monitors judge.
 * @param isTelling whether the requirement holds if they accuse nothing; else it stays open
 */
export function trailCheck(trail: Trail, id: RequirementId, isTelling: boolean): Check {
  const requests = requestsOfTrail(trail);
  const needs = keyNeeds(trail);
  const control = capabilitiesOf(trail);
  const attempts = attemptsOf(trail);
  const pets = petsWrittenBy(trail).length;
  return {
    id: REPLAY,
    title: 'What led to the finding, once more',
    judges: [id],
    needs: {
      profile: profileOf([...needs.values()], requests),
      keys: [...needs.values()],
      ...(control.length === 0 ? {} : { control }),
      ...(requests.some(isWrite) ? { pets: Math.max(1, pets), worksWithoutPets: true } : {}),
      ...(trail.keys.some(({ revoked }) => revoked) ? { revokedKey: true } : {}),
      alone: true,
    },
    anonymousRequests:
      attempts * countOf(requests, null) + [...Array(attempts).keys()].filter(isShifted).length,
    run: async (context) => {
      try {
        refuseLongWaits(trail, context);
        const isAnswered = await sendAgain(trail, context, needs);
        if (isTelling && isAnswered) {
          // An accusation outweighs this.
          context.provoked(id);
        }
        if (!isTelling) {
          context.leftOpen(id, 'The trail was sent again, and its answers alone do not tell.');
        }
      } catch (error) {
        // What others saw meanwhile does not stand for what was not carried out.
        context.leftOpen(id, messageOf(error));
        throw error;
      }
    },
  };
}

/** Sends a trail as often as it takes, and has what gets no response judged. @returns whether all was answered */
async function sendAgain(
  trail: Trail,
  context: CheckContext,
  needs: ReadonlyMap<number, KeyNeed>,
): Promise<boolean> {
  const numbers = [...needs.keys()];
  const issues = context.control?.capabilities.has('keys') === true;
  const keyOf = async (number: number): Promise<Key> => {
    const need = needs.get(number);
    const key =
      need !== undefined && issues ? await context.issue(need) : context.keys[numbers.indexOf(number)];
    if (key === undefined || key === null) {
      throw new Undecided(`There is no key for ${keyLabel(trail.keys, number)} of the trail.`);
    }
    return key;
  };
  let isAnswered = true;
  for (let attempt = 0; attempt < attemptsOf(trail); attempt += 1) {
    if (issues && isShifted(attempt)) {
      const key = await context.issue({ plan: 'free', use: 'share', requests: 1 });
      await context.send(listInventory(), { key });
    }
    const { lost, answered, hidden } = await playTrail(context, trail, keyOf);
    if (hidden > 0) {
      throw new Undecided(
        `The target answered 429 to ${hidden} ${hidden === 1 ? 'request' : 'requests'} without a key, so it limits them and does not show how it answers them otherwise. Replay the finding again in a minute or two.`,
      );
    }
    for (const error of lost) {
      await context.reportDropped(error);
    }
    isAnswered &&= lost.length === 0 && answered > 0;
  }
  return isAnswered;
}

/** Only a key that nobody used has the same to grant the next time. */
function attemptsOf({ keys, attempts }: Trail): number {
  return keys.every(({ issued }) => issued) ? attempts : 1;
}

// Something that comes once in so many requests is seen again.
const REQUESTS_OF_ATTEMPTS = 120;

/** How often a trail of so many requests is sent that may not show its violation each time. */
export function attemptsByChance({ attempts }: Pick<Trail, 'attempts'>, requests: number): number {
  return Math.max(attempts, Math.ceil(REQUESTS_OF_ATTEMPTS / requests));
}

/** The pets that a trail may write to. */
export function petsWrittenBy(trail: Trail): readonly bigint[] {
  const petIds = requestsOfTrail(trail)
    .filter(isWrite)
    .flatMap(({ path, method }) => {
      const { target } = readRequest({
        operation: null,
        method,
        path: typeof path === 'string' ? path : '',
        headers: [],
        body: null,
      });
      return target.kind !== 'undocumented' && typeof target.petId === 'bigint' ? [target.petId] : [];
    });
  return [...new Set(petIds)];
}

/** Of the pets of a run those that a trail may write to, for the one check that sends it again. */
export function leasePetsOf(trail: Trail, all: readonly Pet[]): PetLeases {
  const written = new Set(petsWrittenBy(trail));
  const pets = all.filter(({ petId }) => written.has(petId));
  return {
    lease: () => Promise.resolve(pets),
    isShared: () => false,
    release: () => {},
    total: pets.length,
  };
}

// Whoever waits for longer at a terminal takes it for a hang.
const MOST_REAL_SECONDS = 900;

/** @throws {Undecided} before anything is sent, if only a clock that can be moved makes the waits bearable */
function refuseLongWaits({ steps }: Trail, { virtualTime }: CheckContext): void {
  const waits = steps.flatMap((step) => (step.do === 'wait' ? [step.seconds] : []));
  const all = waits.reduce((sum, seconds) => sum + seconds, 0);
  if (!virtualTime && (all > MOST_REAL_SECONDS || waits.some((one) => one > LONGEST_REAL_WAIT_SECONDS))) {
    throw new Undecided(
      `The trail waits for ${Math.ceil(all)} s, which nobody is made to wait in real time. Give a control URL with a clock (--control).`,
    );
  }
}

/** What a trail takes of each of its keys, by their numbers: of those that are not revoked before. */
function keyNeeds(trail: Trail): ReadonlyMap<number, KeyNeed> {
  const requests = requestsOfTrail(trail);
  const issued = trail.steps.flatMap((step) => (step.do === 'issue key' ? [step.key] : []));
  return new Map(
    [...new Set(issued)].flatMap((number) => {
      const key = trail.keys[number - 1];
      return key === undefined || key.revoked === true
        ? []
        : [[number, { ...needOf(key, number, requests), rounds: attemptsOf(trail) }]];
    }),
  );
}

function needOf(
  { plan, perMinute, perDay, usedToday }: TrailKey,
  number: number,
  all: readonly TrailRequest[],
): KeyNeed {
  const requests = countOf(all, number);
  const own = perMinute === null || perDay === null ? null : { perMinute, perDay };
  const isRefused = all.some(
    ({ key, answers }) => key === number && answers.some(({ status }) => status === 429),
  );
  const isWithin = requests < planningLimits({ plan, limits: own }).perMinute;
  const agreed = plan === 'enterprise' ? null : PLAN_LIMITS[plan];
  return {
    plan,
    use: isWithin && !isRefused ? 'share' : 'exhaust',
    requests,
    ...(own === null || agreed !== null ? {} : { agree: own }),
    ...(usedToday === 0 ? {} : { usedToday: () => usedToday }),
  };
}

/**
 * Whether a list comes before that attempt, counted from 0: before 1, 3, 6, 10 and so on. What a target does to every n-th
 * request would otherwise keep in step with the attempts, and never meet the request that shows it.
 */
function isShifted(attempt: number): boolean {
  const row = Math.floor(Math.sqrt(2 * attempt));
  return attempt > 0 && (row * (row + 1)) / 2 === attempt;
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

function isWrite({ method }: TrailRequest): boolean {
  return method !== 'GET';
}

function capabilitiesOf({ steps, keys }: Trail): readonly Capability[] {
  const takesKeys =
    steps.some((step) => step.do === 'revoke key') || keys.some(({ usedToday }) => usedToday > 0);
  const takesInventory = keys.length > 0 && steps.some((step) => step.do === 'replace inventory');
  return [...(takesKeys ? (['keys'] as const) : []), ...(takesInventory ? (['inventory'] as const) : [])];
}

/** What goes beyond a limit takes keys that are given for that. */
function profileOf(needs: readonly KeyNeed[], requests: readonly TrailRequest[]): Check['needs']['profile'] {
  return needs.some(({ use }) => use === 'exhaust') ? 'full' : requests.some(isWrite) ? 'standard' : 'safe';
}
