import { hideClientKey } from '../records/record-client-exchange.ts';
import type { ClientJudge } from '../records/record.ts';
import { readTarget } from '../records/request-target.ts';
import { clientRequests } from '../records/traffic-reading.ts';

/** The petId in the path, exact to the last digit; if the path is another one altogether, `operation` says so. */
export const exactPetId: ClientJudge = {
  id: 'exact-pet-id',
  title: 'An update names the pet that was asked for',
  judges: ['client-exact-pet-id'],
  judge: (record, say) => {
    const { task } = record.scenario;
    if (task.operation !== 'updateInventory') {
      return;
    }
    const wanted = task.petId.toString();
    let isNamed = false;
    for (const exchange of clientRequests(record)) {
      const [collection, petId] = readTarget(exchange.request.target, record.baseUrl).segments ?? [];
      if (collection === 'inventory' && petId !== undefined && petId !== '') {
        if (petId !== wanted) {
          say.fail(
            'client-exact-pet-id',
            `The path names pet ${hideClientKey(petId, record).slice(0, 60)}; ${wanted} was asked for.`,
            'Keep petId as an integer of 64 bits or as a string of digits from end to end, and write all its digits and nothing else.',
            exchange,
          );
          return;
        }
        isNamed = true;
      }
    }
    if (isNamed) {
      say.pass('client-exact-pet-id');
    }
  },
};
