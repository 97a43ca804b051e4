import type { Episode, PlannedCredential, PlannedOperation, PlannedRequest, Step } from './episode.ts';

type Corpus = PlannedOperation['kind'] | NonNullable<PlannedCredential>['of'];

/**
 * Gives the requests of episodes the entries of the corpora one after the other, so that each comes in its turn.
 * @param seed decides which entries come first
 */
export function openCorpusAssigner(seed: number): (episode: Episode) => Episode {
  const taken = new Map<Corpus, number>();
  const next = (corpus: Corpus): number => {
    const entry = taken.get(corpus) ?? seed;
    taken.set(corpus, entry + 1);
    return entry;
  };
  const assignInRequest = ({ operation, credential, ...request }: PlannedRequest): PlannedRequest => ({
    ...request,
    operation: assignInOperation(operation, next),
    credential: credential && { ...credential, entry: next(credential.of) },
  });
  return (episode) => {
    // A step that comes again is the same step again.
    const known = new Map<Step, Step>();
    const assignInStep = (step: Step): Step => {
      const assigned =
        known.get(step) ??
        ('requests' in step ? { ...step, requests: step.requests.map(assignInRequest) } : step);
      known.set(step, assigned);
      return assigned;
    };
    return { ...episode, steps: episode.steps.map(assignInStep) };
  };
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
