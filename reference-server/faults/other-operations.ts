import { dropConnections, setHeaderWhere } from '../alterations/responses.ts';
import { type Fault, breaking } from './fault.ts';

function withAllow(id: string, title: string, value: string): Fault {
  return {
    id,
    title,
    breaks: 'method-not-allowed',
    excludes: ['wrong methods'],
    alter: setHeaderWhere(({ status }) => status === 405, 'Allow', value),
  };
}

export const OTHER_OPERATIONS_FAULTS: readonly Fault[] = [
  withAllow('allow-empty', 'Allow on a 405 is empty', ''),
  withAllow('allow-of-another-path', 'Allow on every 405 names only GET', 'GET'),
  ...breaking('method-not-allowed', {
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
  }),
];
