import {
  requestsInTrail,
  requestsOfTrail,
  type Trail,
  type TrailItem,
  type TrailRequest,
  type TrailStep,
} from '../../../contract/trail.ts';

/**
 * Takes away from a trail whatever it does not take to show a violation, as delta debugging does: steps in ever smaller
 * parts, then requests, repetitions, connections, odd spellings and pets.
 * @param play sends a trail, and returns the trail that showed the violation again; `null` if it did not show, and
 *   `undefined` if nothing more may be sent
 */
export async function shrinkTrail(
  trail: Trail,
  play: (candidate: Trail) => Promise<Trail | null | undefined>,
): Promise<Trail> {
  let smallest = trail;
  for (let hasShrunk = true; hasShrunk;) {
    hasShrunk = false;
    for (const candidate of simplerTrails(smallest)) {
      const shown = await play(candidate);
      if (shown === undefined) {
        return smallest;
      }
      if (shown !== null && isSimpler(shown, smallest)) {
        smallest = shown;
        hasShrunk = true;
        break;
      }
    }
  }
  return smallest;
}

// As the specification spells it, and without a body.
const PLAIN_LIST = {
  operation: 'listInventory',
  method: 'GET',
  path: '/inventory',
  headers: [],
  body: null,
} as const;

const SHORTEST_ENDS = [2, 4, 8, 16];

/** What may show it with few requests: ends of the trail, and what was sent with the last key; then the whole. */
export function* promisingTrails(trail: Trail): Generator<Trail> {
  const { steps } = trail;
  const withSteps = (changed: readonly TrailStep[]): Trail => ({
    ...trail,
    startedAt: null,
    steps: withUsedKeys(inTime(changed, steps)),
  });
  const all = requestsOfTrail(trail);
  for (const length of SHORTEST_ENDS.filter((one) => one < all.length)) {
    const kept = new Set(all.slice(-length));
    yield withSteps(steps.flatMap(onlyOf((request) => kept.has(request))));
  }
  const last = all.at(-1)?.key;
  if (all.some(({ key }) => key !== last)) {
    yield withSteps(steps.flatMap(onlyOf(({ key }) => key === last)));
  }
  yield withSteps(steps);
  // The time of the day may have to do with it.
  yield trail;
}

/** What a reader has to take in, the weightiest first. */
function weightOf(trail: Trail): readonly number[] {
  const sent = trail.steps.flatMap((step) => (step.do === 'send' ? [step] : []));
  const requests = requestsOfTrail(trail);
  return [
    requestsInTrail(trail),
    requests.length,
    requests.reduce((sum, request) => sum + odditiesOf(request), 0),
    sent.filter(({ connections }) => connections > 1).length,
    trail.steps.length,
    trail.steps.reduce((sum, step) => sum + (step.do === 'replace inventory' ? step.items.length : 0), 0),
  ];
}

/** Whether nobody has to look twice: one or two requests as the specification spells them, and few pets. */
export function isShort(trail: Trail): boolean {
  const [requests = 0, , odd = 0, , , items = 0] = weightOf(trail);
  return requests <= 2 && odd === 0 && items <= 2;
}

/** Whether a reader has less to take in. */
export function isSimpler(one: Trail, other: Trail): boolean {
  const [ofOne, ofOther] = [weightOf(one), weightOf(other)];
  const at = ofOne.findIndex((weight, index) => weight !== ofOther[index]);
  return at !== -1 && (ofOne[at] ?? 0) < (ofOther[at] ?? 0);
}

/** What is simpler by one cut, the largest cuts first. */
function* simplerTrails(trail: Trail): Generator<Trail> {
  const { steps } = trail;
  const withSteps = (changed: readonly TrailStep[]): Trail => ({ ...trail, steps: withUsedKeys(changed) });
  for (const kept of keysOf(steps)) {
    yield withSteps(inTime(steps.flatMap(onlyOf(({ key }) => key === kept)), steps));
  }
  yield withSteps(steps.map(asLists));
  // A key is issued for what is sent with it.
  for (const rest of withoutParts(steps, ({ do: act }) => act !== 'issue key')) {
    // What fills the inventory says what the trail begins with.
    if (rest.some(isReplacement) || !steps.some(isReplacement)) {
      yield withSteps(inTime(rest, steps));
    }
  }
  for (const [index, step] of steps.entries()) {
    for (const simpler of simplerSends(step)) {
      yield withSteps(steps.with(index, simpler));
    }
  }
  const petIds = new Set(petsNamedIn(steps));
  for (const [index, step] of steps.entries()) {
    for (const items of step.do === 'replace inventory' ? fewerItems(step, petIds) : []) {
      yield withSteps(steps.with(index, { ...step, do: 'replace inventory', items }));
    }
  }
}

/** The numbers of the keys that requests count on, if there are several. */
function keysOf(steps: readonly TrailStep[]): readonly (number | null)[] {
  const keys = requestsOfTrail({ steps }).map(({ key }) => key);
  const different = [...new Set(keys)];
  return different.length > 1 ? different : [];
}

/** The step without the other requests. */
function onlyOf(isKept: (request: TrailRequest) => boolean): (step: TrailStep) => readonly TrailStep[] {
  return (step) => {
    if (step.do !== 'send' || step.requests.every(isKept)) {
      return [step];
    }
    const requests = step.requests.filter(isKept);
    return requests.length === 0 ? [] : [{ ...step, requests }];
  };
}

function isReplacement(step: TrailStep): boolean {
  return step.do === 'replace inventory';
}

/** All without one half, one quarter and so on of those that may go. */
function* withoutParts<Item>(
  items: readonly Item[],
  mayGo: (item: Item) => boolean = () => true,
): Generator<readonly Item[]> {
  const removable = items.filter(mayGo);
  for (let length = Math.ceil(removable.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < removable.length; from += length) {
      const gone = new Set(removable.slice(from, from + length));
      const rest = items.filter((item) => !gone.has(item));
      if (rest.some(mayGo)) {
        yield rest;
      }
    }
  }
}

/** What follows a step that is left out follows as much earlier. */
function inTime(rest: readonly TrailStep[], all: readonly TrailStep[]): readonly TrailStep[] {
  const kept = new Set(rest.map(({ at }) => at));
  const saved = new Map<number, number>();
  let sum = 0;
  for (const [index, { at }] of all.entries()) {
    saved.set(at, sum);
    sum += kept.has(at) ? 0 : (all[index + 1]?.at ?? at) - at;
  }
  return rest.map((step) => ({ ...step, at: step.at - (saved.get(step.at) ?? 0) }));
}

/** Without the issue of keys that nothing is done with any more; what refers to a key keeps its number. */
function withUsedKeys(steps: readonly TrailStep[]): readonly TrailStep[] {
  const text = JSON.stringify(steps.filter((step) => step.do !== 'issue key'));
  return steps.filter((step) => step.do !== 'issue key' || text.includes(`"key":${step.key}`));
}

/** With lists in place of all other requests that carry their key as they should. */
function asLists(step: TrailStep): TrailStep {
  if (step.do !== 'send') {
    return step;
  }
  const lists: TrailRequest[] = [];
  for (const request of step.requests) {
    const { key, authorization, times } = request;
    const last = lists.at(-1);
    const isPlain = key !== null && authorization.length === 1;
    if (isPlain && last?.key === key && last.operation === 'listInventory') {
      lists.splice(-1, 1, { ...last, times: last.times + times });
    } else {
      lists.push(isPlain ? { ...request, ...PLAIN_LIST } : request);
    }
  }
  return { ...step, requests: lists };
}

/** What is asked for by path. */
function petsNamedIn(steps: readonly TrailStep[]): readonly string[] {
  return requestsOfTrail({ steps }).flatMap(({ path }) =>
    typeof path === 'string' ? (/\d+/.exec(path) ?? []) : [],
  );
}

function* simplerSends(step: TrailStep): Generator<TrailStep> {
  if (step.do !== 'send') {
    return;
  }
  const { requests } = step;
  for (const rest of withoutParts(requests)) {
    yield { ...step, requests: rest };
  }
  for (const [index, request] of requests.entries()) {
    for (const simpler of simplerRequests(request)) {
      yield { ...step, requests: requests.with(index, simpler) };
    }
  }
  if (step.connections > 1) {
    yield { ...step, connections: 1 };
  }
}

/** Those that a request names, with another one or without, or else ever fewer. */
function* fewerItems(
  { items }: Extract<TrailStep, { readonly do: 'replace inventory' }>,
  petIds: ReadonlySet<string>,
): Generator<readonly TrailItem[]> {
  const named = items.filter(({ petId }) => petIds.has(petId));
  const other = items.filter(({ petId }) => !petIds.has(petId)).slice(0, 1);
  const few = [named, [...named, ...other]].filter(({ length }) => length > 0 && length < items.length);
  yield* few;
  yield* withoutParts(items);
}

function* simplerRequests(request: TrailRequest): Generator<TrailRequest> {
  const { times, path, headers, operation, method } = request;
  if (method !== 'GET' && request.key !== null) {
    yield { ...request, ...PLAIN_LIST };
  }
  for (const fewer of new Set([1, Math.floor(times / 2), times - 1])) {
    if (fewer >= 1 && fewer < times) {
      yield { ...request, times: fewer };
    }
  }
  const documented = documentedPath(operation, path);
  if (documented !== null && documented !== path) {
    yield { ...request, path: documented };
  }
  const usual = headers.filter(([name]) => /^content-type$/i.test(name));
  if (usual.length < headers.length) {
    yield { ...request, headers: usual };
  }
}

/** How much of a request is not as the specification spells it. */
function odditiesOf({ operation, path, headers }: TrailRequest): number {
  const isOddPath = operation === null || documentedPath(operation, path) !== path;
  return Number(isOddPath) + headers.filter(([name]) => !/^content-type$/i.test(name)).length;
}

/** As the specification spells it; `null` if nobody can tell. */
function documentedPath(operation: string | null, path: TrailRequest['path']): string | null {
  const petId = typeof path === 'string' ? (/\d+/.exec(path)?.[0] ?? null) : null;
  switch (operation) {
    case 'listInventory':
      return '/inventory';
    case 'listOrders':
      return '/store/orders';
    case 'updateInventory':
      return petId === null ? null : `/inventory/${petId}`;
    case 'getPet':
      return petId === null ? null : `/pets/${petId}`;
    default:
      return null;
  }
}
