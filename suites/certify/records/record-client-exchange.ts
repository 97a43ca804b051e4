import type { HeaderField, RecordedExchange } from '../../../contract/verdict.ts';
import { redactorOf } from '../../target/index.ts';
import type { ScenarioRecord, ClientExchange } from './record.ts';
import { contentOf } from './traffic-reading.ts';

/** What stands for the client's key wherever an exchange is shown. */
export const CLIENT_KEY_LABEL = 'client#1';

const KEPT_BODY_CHARACTERS = 2_000;

/** The text without the client's key, however it is spelled. */
export function hideClientKey(text: string, { apiKey }: Pick<ScenarioRecord, 'apiKey'>): string {
  return redactorOf([[apiKey, CLIENT_KEY_LABEL]]).redact(text);
}

/** The exchange as it may be kept and shown: without the key, its bodies cut to a readable length. */
export function recordClientExchange(
  { request, response, receivedAt, answeredAt }: ClientExchange,
  { baseUrl, apiKey }: Pick<ScenarioRecord, 'baseUrl' | 'apiKey'>,
): RecordedExchange {
  const { redact } = redactorOf([[apiKey, CLIENT_KEY_LABEL]]);
  const fields = (headers: readonly HeaderField[]): readonly HeaderField[] =>
    headers.map(([name, value]) => [name, redact(value)]);
  const text = (body: Buffer): string => redact(body.toString('utf8')).slice(0, KEPT_BODY_CHARACTERS);
  return {
    request: {
      method: request.method,
      url: redact(new URL(baseUrl).origin + request.target),
      headers: fields(request.headers),
      body: request.body.length === 0 ? null : text(request.body),
    },
    response:
      answeredAt === null
        ? null
        : {
            status: response.status,
            headers: fields(response.headers),
            body: text(contentOf(response)),
            bodyBytes: response.body.length,
          },
    sentAt: new Date(receivedAt * 1_000).toISOString(),
    durationMilliseconds: Math.round(((answeredAt ?? receivedAt) - receivedAt) * 1_000),
  };
}
