import type { Fault } from '../faults/fault.ts';
import { changeResponses, withBody } from '../alterations/responses.ts';
import { everyNth } from '../alterations/requests.ts';
import { alterUnderLoad } from './under-load.ts';

export const FAILURE_LOAD_FAULTS: readonly Fault[] = [
  {
    id: 'server-error-when-busy',
    title: 'With more than forty requests of a key in flight, one response in a hundred and fifty is a 500',
    breaks: 'list-succeeds',
    alter: alterUnderLoad((load) =>
      changeResponses(({ representation }) => {
        const isTurn = everyNth(150);
        const body = representation.error({
          code: 'internal_error',
          message: 'The service has failed.',
          status: 500,
        });
        return (response) =>
          load.isBusy() && isTurn() ? withBody({ ...response, status: 500 }, body) : response;
      }),
    ),
  },
];
