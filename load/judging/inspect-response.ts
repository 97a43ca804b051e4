import { HEADER_MONITORS, headerValuesMonitor } from '../../suites/oracle/index.ts';
import { inspect, type TargetClient } from '../../suites/target/index.ts';
import type { LoadResponse } from '../engine/load-request.ts';
import { toExchange } from './to-exchange.ts';

/** How much of a response is judged. */
export type ResponseExtent = 'whole' | 'headers';

/** Has the monitors of the suites judge a response. What they find goes to the judgements of the client. */
export function inspectResponse(
  client: TargetClient,
  response: LoadResponse,
  {
    extent,
    mayBeBanned,
    movesClock,
  }: {
    readonly extent: ResponseExtent;
    /** Whether its key may have been banned when it was decided. */
    readonly mayBeBanned: boolean;
    /** The target's clock may be moved meanwhile. */
    readonly movesClock: boolean;
  },
): void {
  const exchange = toExchange(client, response);
  const monitors = extent === 'whole' ? client.monitors : HEADER_MONITORS;
  const usable = movesClock ? monitors.filter((monitor) => monitor !== headerValuesMonitor) : monitors;
  client.clock.learnFromExchange(exchange);
  inspect({ ...client, monitors: usable }, exchange, response.request.key, mayBeBanned);
}
