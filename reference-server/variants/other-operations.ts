import type { Alteration } from '../alterations/alteration.ts';
import { letAnswersChooseMediaType, withContent } from '../alterations/answers.ts';
import { type Answer, answerError, answerWith } from '../service/answer.ts';
import { withoutHeader } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';
import { permitting } from './variant.ts';

const BOTH = ['getPet', 'listOrders'] as const satisfies readonly RoutedOperation[];

function others(
  operations: readonly (typeof BOTH)[number][],
  answer: (parts: ServiceParts) => Answer,
): Alteration {
  return {
    parts: letAnswersChooseMediaType,
    answers: (_answers, parts) =>
      Object.fromEntries(operations.map((operation) => [operation, () => answer(parts)])),
  };
}

function failing(operations: readonly (typeof BOTH)[number][], status: number): Alteration {
  return others(operations, ({ representation }) =>
    answerError(representation, { code: `other_${status}`, message: 'Not here.', status }),
  );
}

export const OTHER_OPERATIONS_VARIANTS = permitting({
  'other operations': {
    'other-operations-404': ['The two other operations are answered 404', failing(BOTH, 404)],
    'orders-403': [
      'GET /store/orders is answered 403 because the key lacks a scope',
      failing(['listOrders'], 403),
    ],
    'other-operations-in-text': [
      'The two other operations answer in plain text',
      others(BOTH, () => withContent(answerWith(200, ''), 'text/plain', 'see the manual')),
    ],
  },
  'deprecation headers': {
    'no-deprecation-headers': [
      'The deprecated operation has no Deprecation and Sunset headers',
      {
        answers: ({ getPet }) => ({
          getPet: async (request, petId) =>
            withoutHeader(withoutHeader(await getPet(request, petId), 'Deprecation'), 'Sunset'),
        }),
      },
    ],
  },
});
