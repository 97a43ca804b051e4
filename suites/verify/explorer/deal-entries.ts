import type { Episode, PlannedCredential, PlannedOperation, PlannedRequest, Step } from './episode.ts';

/** Gives the requests of episodes the entries of the corpora one after the other, so that each comes in its turn. */
export interface Dealer {
  readonly deal: (episode: Episode) => Episode;
}

type Deck = PlannedOperation['kind'] | NonNullable<PlannedCredential>['of'];

/** @param seed decides which entries come first */
export function openDealer(seed: number): Dealer {
  const dealt = new Map<Deck, number>();
  const next = (deck: Deck): number => {
    const entry = dealt.get(deck) ?? seed;
    dealt.set(deck, entry + 1);
    return entry;
  };
  const dealCredential = (credential: PlannedCredential): PlannedCredential =>
    credential === null ? null : { ...credential, entry: next(credential.of) };
  const dealRequest = (request: PlannedRequest): PlannedRequest => ({
    ...request,
    operation: dealOperation(request.operation, next),
    credential: dealCredential(request.credential),
  });
  return {
    deal: (episode) => {
      // A step that comes again is the same step again.
      const known = new Map<Step, Step>();
      const dealStep = (step: Step): Step => {
        const found = known.get(step) ?? withRequests(step, dealRequest);
        known.set(step, found);
        return found;
      };
      return { ...episode, steps: episode.steps.map(dealStep) };
    },
  };
}

function withRequests(step: Step, change: (request: PlannedRequest) => PlannedRequest): Step {
  return 'requests' in step ? { ...step, requests: step.requests.map(change) } : step;
}

function dealOperation(operation: PlannedOperation, next: (deck: Deck) => number): PlannedOperation {
  switch (operation.kind) {
    case 'body':
      return { ...operation, body: next('body') };
    case 'unknown pet':
      return { ...operation, unknown: next('unknown pet') };
    case 'odd pet':
      return { ...operation, odd: next('odd pet') };
    case 'spelling':
    case 'usual spelling':
      return { ...operation, spelling: next(operation.kind) };
    case 'route':
      return { ...operation, route: next('route') };
    case 'method': {
      const entry = next('method');
      return { ...operation, method: entry, path: Math.floor(entry / 7) };
    }
    case 'list':
    case 'update':
    case 'pet':
    case 'orders':
      return operation;
  }
}
