import { parametersLine, type LoadRunListener } from '../../load/index.ts';
import { LIVE_SECONDS, renderLivePage, type LiveEvent } from '../../reports/index.ts';
import { openLiveServer, type LiveServer } from '../shared/live/open-live-server.ts';

export interface LivePage extends Pick<LiveServer<LiveEvent>, 'url' | 'close'> {
  readonly listener: LoadRunListener;
}

// What is kept for those who come later: the seconds of a page, and the few lines between them.
const MOST_KEPT = LIVE_SECONDS + 200;

/**
 * Serves a page that follows a load as it runs.
 * @param port 0 for any that is free
 * @throws {ConfigurationError} if the port cannot be listened on
 */
export async function openLivePage(port: number, target: string): Promise<LivePage> {
  const { url, tell, close } = await openLiveServer<LiveEvent>({
    port,
    page: renderLivePage(target),
    keep: (past, { kind }) =>
      (kind === 'scenario' ? past.filter((event) => event.kind === 'done') : past).slice(1 - MOST_KEPT),
  });
  return {
    url,
    close,
    listener: {
      onNotice: () => {},
      onScenarioStart: ({ scenario, parameters }) =>
        tell({
          kind: 'scenario',
          id: scenario.id,
          title: scenario.title,
          parameters: parametersLine(scenario, parameters),
        }),
      onPhase: (text) => tell({ kind: 'phase', text }),
      onSecond: ({ scheduled, answered, lost, p50, p99, statuses }) =>
        tell({ kind: 'second', scheduled, answered, lost, p50, p99, statuses }),
      onScenarioEnd: ({ id, outcome }) => tell({ kind: 'done', id, outcome }),
    },
  };
}

/** A listener that passes everything on to both. */
export function both(first: LoadRunListener, second: LoadRunListener): LoadRunListener {
  return {
    onNotice: inTurn(first.onNotice, second.onNotice),
    onScenarioStart: inTurn(first.onScenarioStart, second.onScenarioStart),
    onPhase: inTurn(first.onPhase, second.onPhase),
    onSecond: inTurn(first.onSecond, second.onSecond),
    onScenarioEnd: inTurn(first.onScenarioEnd, second.onScenarioEnd),
  };
}

function inTurn<Told extends readonly unknown[]>(
  ...listeners: readonly ((...told: Told) => void)[]
): (...told: Told) => void {
  return (...told) => listeners.forEach((listener) => listener(...told));
}
