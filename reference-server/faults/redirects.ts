import { answerWith } from '../service/answer.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { Fault } from './fault.ts';

/**
 * Redirects an operation that is asked for in its documented spelling.
 * @param respell makes the path of the Location out of the one that was asked for
 */
function redirect(
  operation: Extract<RoutedOperation, 'listInventory' | 'updateInventory'>,
  status: number,
  respell: (path: string) => string,
): Alteration {
  return {
    answers: (answers) => ({
      [operation]: ((request, petId) => {
        const location = respell(request.target);
        return /\/inventory(?:\/\d+)?$/.test(request.target) && location !== request.target
          ? answerWith(status, '{}', ['Location', location])
          : answers[operation](request, petId);
      }) satisfies (typeof answers)[typeof operation],
    }),
  };
}

/** Operations that are redirected to another spelling of their path. */
export const REDIRECT_FAULTS: readonly Fault[] = [
  {
    id: 'list-redirected-to-a-slash',
    title: 'GET /inventory is redirected to /inventory/',
    breaks: 'list-succeeds',
    excludes: ['trailing-slashes-404'],
    alter: redirect('listInventory', 308, (path) => `${path}/`),
  },
  {
    id: 'list-redirected-to-a-query',
    title: 'GET /inventory is redirected to the same path with a query',
    breaks: 'list-succeeds',
    alter: redirect('listInventory', 302, (path) => `${path}?page=1`),
  },
  {
    id: 'update-redirected-to-a-slash',
    title: 'PATCH /inventory/{petId} is redirected to the same path with a slash at its end',
    breaks: 'update-succeeds',
    excludes: ['trailing-slashes-404'],
    alter: redirect('updateInventory', 307, (path) => `${path}/`),
  },
];
