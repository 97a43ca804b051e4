import type { TrafficExchange } from './traffic-exchange.ts';

/**
 * Leaves out exchanges that were recorded more than once, as a page and its worker, or a browser and its proxy record them:
 * the same request, answered the same in every header field, at the same time.
 */
export function withoutDuplicates(recording: readonly TrafficExchange[]): readonly TrafficExchange[] {
  const endings = new Map<string, number>();
  return recording.filter((exchange) => {
    const { request, response, endedAt } = exchange;
    // Of those that were refused, each may well be answered the same.
    if (response === null || response.status >= 300 || (response.headers ?? []).length === 0) {
      return true;
    }
    const told = [request.method, request.url, response.status, response.headers];
    const content = [request.body, response.body].map((body) => body?.toString() ?? '');
    const same = JSON.stringify([...told, ...content]);
    const ended = endings.get(same);
    endings.set(same, Math.max(endedAt, ended ?? endedAt));
    return ended === undefined || request.sentAt > ended;
  });
}
