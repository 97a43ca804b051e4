import { MINUTE_SECONDS, type Plan } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import {
  acceptedMix,
  AGREED_LIMITS,
  burstRequests,
  countAccepted,
  forbiddenUpdate,
  measureMinute,
  type Measurement,
} from '../provoking/burst.ts';
import { whyNoForms, type AcceptedForms } from '../provoking/accepted-forms.ts';
import type { Check } from '../check.ts';
import { comeBack } from '../provoking/come-back.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  type RequestMessage,
  planningLimits,
  type Key,
  findIrregularities,
  secondsToWait,
} from '../../oracle/index.ts';
import type { Lab } from '../lab.ts';
import { tellingQuantity } from '../../target/index.ts';
import { judgeRefusedWrite } from '../provoking/refused-write.ts';
import { judgeUnlessUnanswered } from '../provoking/unanswered.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

// A thousand requests one by one outlast a window on a slow target.
const ONE_BY_ONE_LIMIT = 120;

/** What a minute grants a key of each plan, at once and one by one, and what comes after. */
export const minuteLimitChecks: readonly Check[] = (['free', 'pro', 'business', 'enterprise'] as const).map(
  (plan) =>
    checkAfter({
      id: `minute-limit-${plan}`,
      after: acceptedForms,
      title: `A ${plan} key is granted its minute's limit, no more and no less`,
      judges: [
        `minute-limit-${plan}`,
        'limit-under-concurrency',
        'limit-over-spellings',
        'refusal-is-429',
        'limit-renews',
        'retry-after-honoured',
        'ban-only-after-continued',
        'refused-changes-nothing',
        'remaining-falls',
        'retry-after-plausible',
      ],
      needs: {
        profile: 'full',
        keys: [
          {
            plan,
            use: 'exhaust',
            requests: (limits) => (limits.perMinute <= ONE_BY_ONE_LIMIT ? 4 : 2) * burstRequests(limits) + 6,
            ...(plan === 'enterprise' ? { agree: AGREED_LIMITS } : {}),
          },
        ],
        pets: 1,
        worksWithoutPets: true,
      },
      run: (lab, forms) => judgeMinute(lab, plan, forms),
    }),
);

async function judgeMinute(lab: Lab, plan: Plan, forms: AcceptedForms): Promise<void> {
  const key = lab.key();
  const id = `minute-limit-${plan}` as const;
  const began = lab.now();
  const acceptedBefore = key.usage.accepted;
  const last = forbiddenUpdate(lab);
  const isSmall = planningLimits(key).perMinute <= ONE_BY_ONE_LIMIT;
  const manner = isSmall ? 'one by one' : 'concurrent';
  const messages = acceptedMix(lab, forms);
  const first = await measureMinute(lab, key, { manner, messages, ...(last === undefined ? {} : { last }) });
  report(lab, first, [id]);
  if (!isSmall) {
    reportUnlessTooFew(lab, first, ['limit-under-concurrency'], id);
  }
  if ('unknown' in forms) {
    lab.skip('limit-over-spellings', whyNoForms(forms));
  } else {
    reportUnlessTooFew(lab, first, ['limit-over-spellings'], id);
  }
  judgeRefusal(lab, first);
  if (isSmall && lab.virtualTime && findIrregularities(first.burst.oneByOne).length > 0) {
    await judgeRemainingAgain(lab, key, messages);
  }
  const back = await returnAfter(lab, key, first);
  if (!back || !isSmall || !judgeRate(lab, key, began, acceptedBefore)) {
    return;
  }
  // Windows that are too short show themselves by further rounds within a minute.
  for (
    let round = 2;
    round === 2 || (round <= MOST_ROUNDS && secondsSince(lab, began) < MINUTE_SECONDS);
    round += 1
  ) {
    const attempts = lab.virtualTime ? undefined : 1;
    const next = await measureMinute(lab, key, { manner: 'concurrent', messages }, attempts);
    // In real time the window of a sliding limiter may not be fresh yet, which shows as too few.
    if (lab.virtualTime || next.burst.admission.kind !== 'under') {
      report(lab, next, [id]);
      // Where one by one as few were granted, it is not the concurrency, nor the renewal, that makes them few.
      const reportFurther = first.verdict === 'exact' ? report : reportUnlessTooFew;
      reportFurther(lab, next, ['limit-renews', 'limit-under-concurrency'], id);
      judgeRefusal(lab, next);
    }
    const isLate = !lab.virtualTime && lab.elapsedSeconds() > LATEST_RETURN_SECONDS;
    if (isLate || !(await returnAfter(lab, key, next)) || !judgeRate(lab, key, began, acceptedBefore)) {
      return;
    }
  }
}

const ANOTHER_PHASE_SECONDS = 135;

/** What remains is counted down to the last request of the window; a boundary may disturb that once. */
async function judgeRemainingAgain(lab: Lab, key: Key, messages: readonly RequestMessage[]): Promise<void> {
  await lab.sleep(ANOTHER_PHASE_SECONDS, `counting the remaining requests of ${key.label} again`);
  const { burst } = await measureMinute(lab, key, { manner: 'one by one', messages }, 1);
  const [irregularity] = findIrregularities(burst.oneByOne);
  lab.judge(
    'remaining-falls',
    irregularity === undefined,
    irregularity?.message ?? '',
    irregularity?.exchange,
  );
}

// In real time nobody waits for a third window.
const LATEST_RETURN_SECONDS = 80;
const MOST_ROUNDS = 4;

function secondsSince(lab: Lab, began: number): number {
  return (lab.now() - began) / 1000;
}

/** Windows of a minute grant the limit once for each minute that has begun, and once more where they are aligned. */
function judgeRate(lab: Lab, key: Key, began: number, acceptedBefore: number): boolean {
  const limit = planningLimits(key).perMinute;
  const seconds = secondsSince(lab, began);
  const granted = key.usage.accepted - acceptedBefore;
  const most = limit * (Math.floor(seconds / MINUTE_SECONDS) + 2);
  return lab.judge(
    'limit-renews',
    granted <= most,
    `${key.label} was granted ${granted} requests within ${Math.ceil(seconds)} s; windows of a minute grant ${most} at most.`,
  );
}

/** Records what was measured for each requirement that it bears on. */
export function report(lab: Lab, measurement: Measurement, ids: readonly RequirementId[]): void {
  for (const id of ids) {
    if (measurement.verdict === 'undecided') {
      lab.inconclusive(id, measurement.message, measurement.witness);
    } else {
      lab.judge(id, measurement.verdict === 'exact', measurement.message, measurement.witness);
    }
  }
}

/** The same for requirements that only speak of too many: too few is a violation of the limit itself. */
function reportUnlessTooFew(
  lab: Lab,
  measurement: Measurement,
  ids: readonly RequirementId[],
  limit: RequirementId,
): void {
  if (measurement.verdict !== 'under') {
    report(lab, measurement, ids);
    return;
  }
  for (const id of ids) {
    lab.inconclusive(id, `${measurement.message} That is judged by ${limit}.`, measurement.witness);
  }
}

/** What comes beyond the limit is a 429, and shows that nothing remains. */
function judgeRefusal(lab: Lab, { burst, verdict }: Measurement): void {
  const refusals = burst.exchanges.filter((exchange) => !isAccepted(exchange));
  const [first] = refusals;
  if (first === undefined) {
    return;
  }
  judgePlausibility(lab, first);
  const is429 = refusals.some(({ response }) => response.status === 429);
  const { method, path } = first.request;
  const { status } = first.response;
  const { perMinute } = planningLimits(keyOf(lab, first.key));
  const granted = countAccepted(burst.exchanges);
  // A key that is refused below its limit is judged by valid-key-accepted.
  if (is429 || granted >= perMinute || (status !== 401 && status !== 403)) {
    const when =
      granted >= perMinute ? 'beyond the limit' : `after ${granted} of ${perMinute} requests were granted`;
    const message = `${method} ${path} ${when} was answered ${status}, not 429.`;
    // The 429 that a ban followed may be among the lost responses.
    judgeUnlessUnanswered(lab, lab.key().usage.unanswered, 'refusal-is-429', is429, message, first);
  }
  for (const refusal of verdict === 'exact' ? refusals : []) {
    const rateLimit = rateLimitOf(refusal);
    if (
      refusal.response.status === 429 &&
      rateLimit?.limit === planningLimits(keyOf(lab, refusal.key)).perMinute
    ) {
      lab.judge(
        'remaining-falls',
        rateLimit.remaining === 0,
        `X-RateLimit-Remaining is ${rateLimit.remaining} on a 429, when the whole limit was granted already.`,
        refusal,
      );
    }
  }
}

// A minute, and what a sliding counter adds.
const PLAUSIBLE_WAIT_SECONDS = 65;

function judgePlausibility(lab: Lab, refusal: Exchange): void {
  const seconds = secondsToWait(refusal, lab.clock);
  if (refusal.response.status === 429 && seconds !== undefined) {
    lab.judge(
      'retry-after-plausible',
      seconds <= PLAUSIBLE_WAIT_SECONDS,
      `Retry-After asks for ${Math.ceil(seconds)} s, though the limit of a minute was reached.`,
      refusal,
    );
  }
}

function keyOf(lab: Lab, label: string | null): Key {
  return lab.keys.find((key) => key?.label === label) ?? lab.key();
}

/** Comes back when told to, and sees that what was refused changed nothing. Returns whether it was let in. */
async function returnAfter(lab: Lab, key: Key, { burst }: Measurement): Promise<boolean> {
  if (burst.refusal === null) {
    return false;
  }
  const exchange = await comeBack(lab, key, burst.refusal);
  if (exchange === null || !isAccepted(exchange)) {
    return false;
  }
  const [pet] = lab.pets;
  const update = forbiddenUpdate(lab);
  const attempts = burst.exchanges.filter(({ request }) => request.body === update?.body);
  const [refused] = attempts;
  if (pet !== undefined && refused !== undefined && !attempts.some(isAccepted)) {
    const attempted = tellingQuantity(pet);
    judgeRefusedWrite(lab, {
      pet,
      attempted,
      listed: exchange,
      cause: `An update that was refused with ${refused.response.status}`,
      unanswered: key.usage.unanswered,
    });
  }
  return true;
}
