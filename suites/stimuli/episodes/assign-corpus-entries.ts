import type { Episode, PlannedCredential, PlannedOperation, PlannedRequest, Step } from './episode.ts';

/** Gives the requests of episodes the entries of the corpora one after the other, so that each comes in its turn. */
export interface CorpusAssigner {
  readonly assign: (episode: Episode) => Episode;
}

type Corpus = PlannedOperation['kind'] | NonNullable<PlannedCredential>['of'];

/** @param seed decides which entries come first */
export function openCorpusAssigner(seed: number): CorpusAssigner {
  const assigned = new Map<Corpus, number>();
  const next = (corpus: Corpus): number => {
    const entry = assigned.get(corpus) ?? seed;
    assigned.set(corpus, entry + 1);
    return entry;
  };
  const assignInCredential = (credential: PlannedCredential): PlannedCredential =>
    credential === null ? null : { ...credential, entry: next(credential.of) };
  const assignInRequest = (request: PlannedRequest): PlannedRequest => ({
    ...request,
    operation: assignInOperation(request.operation, next),
    credential: assignInCredential(request.credential),
  });
  return {
    assign: (episode) => {
      // A step that comes again is the same step again.
      const known = new Map<Step, Step>();
      const assignInStep = (step: Step): Step => {
        const found = known.get(step) ?? withRequests(step, assignInRequest);
        known.set(step, found);
        return found;
      };
      return { ...episode, steps: episode.steps.map(assignInStep) };
    },
  };
}

function withRequests(step: Step, change: (request: PlannedRequest) => PlannedRequest): Step {
  return 'requests' in step ? { ...step, requests: step.requests.map(change) } : step;
}

function assignInOperation(operation: PlannedOperation, next: (corpus: Corpus) => number): PlannedOperation {
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
