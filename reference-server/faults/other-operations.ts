import type { Alteration } from '../alterations/alteration.ts';
import { dropConnections, setHeaderWhere } from '../alterations/responses.ts';
import { breaking } from './fault.ts';

function withAllow(value: string): Alteration {
  return setHeaderWhere(({ status }) => status === 405, 'Allow', value);
}

export const OTHER_OPERATIONS_FAULTS = breaking('method-not-allowed', {
  'allow-empty': ['Allow on a 405 is empty', withAllow(''), { excludes: ['wrong methods'] }],
  'allow-of-another-path': [
    'Allow on every 405 names only GET',
    withAllow('GET'),
    { excludes: ['wrong methods'] },
  ],
  'wrong-method-dropped': [
    'A wrong method is answered by closing the connection',
    dropConnections(
      ({ method, target }, { route }) => route(method, target).kind === 'method-not-allowed',
      'goes on',
    ),
    { excludes: ['wrong methods'] },
  ],
  'wrong-method-on-an-entry-not-found': [
    'A wrong method on /inventory/{petId} is answered 404',
    {
      parts: ({ route }) => ({
        route: (method, target) => {
          const match = route(method, target);
          return match.kind === 'method-not-allowed' && match.allow === 'PATCH'
            ? { kind: 'not-found' }
            : match;
        },
      }),
    },
    { excludes: ['wrong methods', 'unknown routes'] },
  ],
});
