import { letAnswersChooseMediaType, withContent } from '../alterations/answers.ts';
import { type Answer, answerError, answerWith } from '../service/answer.ts';
import { withoutHeader } from '../service/header-fields.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Variant } from './variant.ts';

const BOTH = ['getPet', 'listOrders'] as const satisfies readonly RoutedOperation[];

function others(
  id: string,
  title: string,
  operations: readonly (typeof BOTH)[number][],
  answer: (parts: ServiceParts) => Answer,
): Variant {
  return {
    id,
    title,
    freedom: 'other operations',
    alter: {
      parts: letAnswersChooseMediaType,
      answers: (_answers, parts) =>
        Object.fromEntries(operations.map((operation) => [operation, () => answer(parts)])),
    },
  };
}

function failing(
  id: string,
  title: string,
  operations: readonly (typeof BOTH)[number][],
  status: number,
): Variant {
  return others(id, title, operations, ({ representation }) =>
    answerError(representation, { code: `other_${status}`, message: 'Not here.', status }),
  );
}

export const OTHER_OPERATIONS_VARIANTS: readonly Variant[] = [
  failing('other-operations-404', 'The two other operations are answered 404', BOTH, 404),
  failing(
    'orders-403',
    'GET /store/orders is answered 403 because the key lacks a scope',
    ['listOrders'],
    403,
  ),
  others('other-operations-in-text', 'The two other operations answer in plain text', BOTH, () =>
    withContent(answerWith(200, ''), 'text/plain', 'see the manual'),
  ),
  {
    id: 'no-deprecation-headers',
    title: 'The deprecated operation has no Deprecation and Sunset headers',
    freedom: 'deprecation headers',
    alter: {
      answers: ({ getPet }) => ({
        getPet: async (request, petId) =>
          withoutHeader(withoutHeader(await getPet(request, petId), 'Deprecation'), 'Sunset'),
      }),
    },
  },
];
