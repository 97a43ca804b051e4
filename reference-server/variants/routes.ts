import type { Alteration } from '../alterations/alteration.ts';
import { dropConnections, handleRequests } from '../alterations/responses.ts';
import { answerError, type Answer, answerWith } from '../service/answer.ts';
import { type ServiceRequest, type ServiceResponse, withoutHeader } from '../service/messages.ts';
import type { RouteMatch, RoutedOperation, Router } from '../service/router.ts';
import type { Answers, ServiceParts } from '../service/service.ts';
import { permitting } from './variant.ts';
import { letAnswersChooseMediaType, withContent } from '../alterations/answers.ts';

const NOT_FOUND: RouteMatch = { kind: 'not-found' };

function routing(start: (route: Router) => Router): Alteration {
  return { parts: ({ route }) => ({ route: start(route) }) };
}

/** Answers some requests before the key is looked at. */
function answerFirst(
  answer: (match: RouteMatch, request: ServiceRequest) => ServiceResponse | undefined,
): Alteration {
  return handleRequests(
    (request, service, { route }) =>
      answer(route(request.method, request.target), request) ?? service.respond(request),
  );
}

function bare(status: number, mediaType: string, text: string): ServiceResponse {
  return {
    status,
    headers: ['Content-Type', mediaType, 'Content-Length', `${Buffer.byteLength(text)}`],
    body: text,
  };
}

/** Rewrites the path of targets that are not known as they stand. */
function lenient(rewrite: (path: string) => string): (route: Router) => Router {
  return (route) => (method, target) => {
    const match = route(method, target);
    return match.kind === 'not-found'
      ? route(
          method,
          target.replace(/^[^?#]+/, (path) => rewrite(path)),
        )
      : match;
  };
}

const OPERATIONS = [
  'listInventory',
  'updateInventory',
  'getPet',
  'listOrders',
] as const satisfies readonly RoutedOperation[];

function refuseQueries(answers: Answers, { representation }: ServiceParts): Partial<Answers> {
  const error = { code: 'unknown_parameter', message: 'There are no query parameters here.', status: 400 };
  return Object.fromEntries(
    OPERATIONS.map((operation): [RoutedOperation, Answers['listInventory']] => [
      operation,
      (request, petId) =>
        /\?[^#]/.test(request.target)
          ? answerError(representation, error)
          : answers[operation](request, petId),
    ]),
  );
}

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

export const ROUTES_VARIANTS = permitting({
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
  'unknown routes': {
    'unknown-routes-with-html': [
      'Unknown routes are answered 404 with an HTML page and without rate limit headers',
      answerFirst((match) =>
        match.kind === 'not-found' ? bare(404, 'text/html', '<h1>Not found</h1>\n') : undefined,
      ),
    ],
    'positive-pet-ids-alone-are-routed': [
      'A petId that is no positive integer is an unknown route: 404 in text, before the key, without rate limit headers',
      answerFirst((match) =>
        match.kind === 'operation' &&
        (match.operation === 'updateInventory' || match.operation === 'getPet') &&
        !/^[1-9]\d{0,18}$/.test(match.petId)
          ? bare(404, 'text/plain', 'Not found\n')
          : undefined,
      ),
    ],
    'unknown-routes-dropped': [
      'Unknown routes, and a petId that is no integer, are answered by closing the connection',
      dropConnections(({ method, target }, { route }) => {
        const match = route(method, target);
        return match.kind === 'operation'
          ? match.operation === 'updateInventory' && !/^[+-]?\d+$/.test(match.petId)
          : match.kind === 'not-found';
      }, 'goes on'),
    ],
  },
  'wrong methods': {
    'wrong-methods-in-text': [
      'Wrong methods are answered 405 in plain text, without Allow and rate limit headers',
      answerFirst((match) =>
        match.kind === 'method-not-allowed' ? bare(405, 'text/plain', 'Method not allowed') : undefined,
      ),
    ],
  },
  head: {
    'head-supported': [
      'HEAD is answered like GET, without content',
      routing((route) => (method, target) => route(method === 'HEAD' ? 'GET' : method, target)),
    ],
  },
  options: {
    'options-supported': [
      'OPTIONS is answered 204 without a key, as browsers need it',
      answerFirst((_match, { method }) =>
        method === 'OPTIONS'
          ? {
              status: 204,
              headers: ['Allow', 'GET, PATCH, OPTIONS', 'Access-Control-Allow-Origin', '*'],
              body: '',
            }
          : undefined,
      ),
    ],
  },
  'path spellings': {
    'trailing-slashes-404': [
      'A path with a trailing slash is unknown',
      routing(
        (route) => (method, target) =>
          /^[^?#]*\/(?=[?#]|$)/.test(target) ? NOT_FOUND : route(method, target),
      ),
    ],
    'paths-in-any-letter-case': [
      'Paths match in any letter-case',
      routing(lenient((path) => path.toLowerCase())),
    ],
    'empty-segments-ignored': [
      'Empty segments of a path are ignored',
      routing(lenient((path) => path.replaceAll(/\/{2,}/g, '/'))),
    ],
  },
  'query parameters': {
    'queries-400': [
      'A query string is answered 400 by every operation',
      {
        answers: refuseQueries,
      },
    ],
  },
  'base path': {
    'base-path-with-tilde': [
      'The base address has the path /~shop_2/pets-and-more/v1',
      { options: (options) => ({ ...options, basePath: '/~shop_2/pets-and-more/v1' }) },
    ],
  },
});
