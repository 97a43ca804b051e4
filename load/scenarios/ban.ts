import { banCheck } from '../../suites/verify/index.ts';
import { notesOf, underLoad } from '../measuring/background.ts';
import { performAll, planChecks } from '../measuring/perform-checks.ts';
import { EMPTY_RESULT, type LoadScenario } from '../scenario.ts';

const OBSERVED = ['ban-threshold', 'ban-length', 'ban-status'];

/** One key goes on after 429 until it is banned, or clearly will not be; then it waits and recovers. */
export const banUnderLoad: LoadScenario = {
  id: 'ban',
  title: 'Sustained abuse by one key: the ban hits it alone, and ends',
  uses: ['rate', 'connections', 'arrivals', 'seed'],
  defaults: { rate: 100 },
  thresholds: ['p99<100ms', 'errors<0.1%'],
  mayBan: true,
  writes: true,
  announce: ({ rate }) => 30 * rate + 600,
  run: async (context) => {
    const plan = planChecks(context.session, [banCheck]);
    const { result, background } = await underLoad(context, plan.possible, () => performAll(context, plan));
    const observations = context.session.judgements.observations();
    return {
      ...EMPTY_RESULT,
      measurements: background === null ? [] : [background.measurement],
      notes: [
        ...notesOf(background),
        ...result.notes,
        ...OBSERVED.flatMap((name) =>
          name in observations ? [`${name}: ${String(observations[name])}`] : [],
        ),
      ],
      inconclusive: result.inconclusive,
    };
  },
};
