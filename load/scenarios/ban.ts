import { banCheck } from '../../suites/verify/index.ts';
import { checkUnderLoad } from '../measuring/checks-under-load.ts';
import type { LoadScenario } from '../scenario.ts';

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
    const result = await checkUnderLoad(context, [banCheck]);
    const observations = context.session.judgements.observations();
    const told = OBSERVED.flatMap((name) =>
      name in observations ? [`${name}: ${String(observations[name])}`] : [],
    );
    return { ...result, notes: [...result.notes, ...told] };
  },
};
