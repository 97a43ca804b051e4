import { Ajv, type ErrorObject } from 'ajv';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { TrafficExchange, TrafficRequest } from './traffic-exchange.ts';

interface HarField {
  readonly name: string;
  readonly value: string;
}

/** What is read of an entry of an HTTP Archive 1.2; everything else is left alone. */
interface HarEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HarField[];
    readonly bodySize?: number;
    readonly postData?: { readonly text?: string; readonly encoding?: string };
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HarField[];
    readonly content?: { readonly text?: string; readonly encoding?: string };
  };
  /** Where browsers note that nothing was asked of the server. */
  readonly _fromCache?: unknown;
  readonly _fromServiceWorker?: unknown;
}

interface HarFile {
  readonly log: { readonly entries: readonly HarEntry[] };
}

const TEXT = { type: 'string' } as const;
const FIELDS = {
  type: 'array',
  items: { type: 'object', required: ['name', 'value'], properties: { name: TEXT, value: TEXT } },
} as const;
const BODY = { type: 'object', properties: { text: TEXT, encoding: TEXT } } as const;

const ENTRY_SCHEMA = {
  type: 'object',
  required: ['startedDateTime', 'time', 'request', 'response'],
  properties: {
    startedDateTime: TEXT,
    time: { type: 'number' },
    request: {
      type: 'object',
      required: ['method', 'url', 'headers'],
      properties: { method: TEXT, url: TEXT, headers: FIELDS, bodySize: { type: 'number' }, postData: BODY },
    },
    response: {
      type: 'object',
      required: ['status', 'headers'],
      properties: { status: { type: 'integer' }, headers: FIELDS, content: BODY },
    },
  },
} as const;

const ajv = new Ajv({ strict: false });
const isEntry = ajv.compile<HarEntry>(ENTRY_SCHEMA);
const isHarFile = ajv.compile<HarFile>({
  type: 'object',
  required: ['log'],
  properties: {
    log: {
      type: 'object',
      required: ['entries'],
      properties: { entries: { type: 'array', items: ENTRY_SCHEMA } },
    },
  },
});

/**
 * The exchanges of an HTTP Archive 1.2, in the order in which they began.
 * @param named what messages call the file
 * @throws {ConfigurationError} that names the member that is wrong
 */
export function readHar(text: string, named: string): readonly TrafficExchange[] {
  const value = parse(text, named);
  if (!isHarFile(value)) {
    throw new ConfigurationError(`${named} is no HTTP Archive (HAR 1.2): ${problemOf(isHarFile.errors)}`);
  }
  return inOrder(value.log.entries.flatMap((entry, index) => readEntry(entry, `${named}, entry ${index}`)));
}

/**
 * The exchanges of a file with one HAR entry on each line (NDJSON), in the order in which they began.
 * @throws {ConfigurationError} that names the line
 */
export function readHarLines(text: string, named: string): readonly TrafficExchange[] {
  return inOrder(
    text.split('\n').flatMap((line, index) => {
      if (line.trim() === '') {
        return [];
      }
      const where = `${named}, line ${index + 1}`;
      const value = parse(line, where);
      if (!isEntry(value)) {
        throw new ConfigurationError(`${where} is no entry of an HTTP Archive: ${problemOf(isEntry.errors)}`);
      }
      return readEntry(value, where);
    }),
  );
}

function parse(text: string, named: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The engine's own message quotes the text, which may hold keys.
    throw new ConfigurationError(`${named} is not JSON`);
  }
}

function problemOf(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  return `${first?.instancePath === '' ? 'it' : first?.instancePath} ${first?.message ?? 'is malformed'}`;
}

function inOrder(exchanges: readonly TrafficExchange[]): readonly TrafficExchange[] {
  return exchanges.toSorted((a, b) => a.request.sentAt - b.request.sentAt);
}

/** Nothing if the server was not asked. @throws {ConfigurationError} */
function readEntry(entry: HarEntry, named: string): readonly TrafficExchange[] {
  const { request, response, _fromCache: cache, _fromServiceWorker: serviceWorker } = entry;
  const sentAt = Date.parse(entry.startedDateTime);
  if (Number.isNaN(sentAt)) {
    throw new ConfigurationError(`${named}: startedDateTime is no date`);
  }
  if (isMarked(cache) || isMarked(serviceWorker)) {
    return [];
  }
  return [
    {
      request: {
        method: request.method,
        url: request.url,
        headers: fieldsOf(request.headers),
        body: requestBodyOf(request),
        sentAt,
      },
      response:
        response.status <= 0
          ? null
          : {
              status: response.status,
              headers: fieldsOf(response.headers),
              body: bytesOf(response.content),
            },
      endedAt: sentAt + Math.max(0, entry.time),
    },
  ];
}

function isMarked(mark: unknown): boolean {
  return mark !== undefined && mark !== null && mark !== false;
}

/** Without the pseudo-header fields of HTTP/2, which some exporters write beside the others. */
function fieldsOf(fields: readonly HarField[]): readonly HeaderField[] {
  return fields.filter(({ name }) => !name.startsWith(':')).map(({ name, value }) => [name, value] as const);
}

function requestBodyOf({ postData, bodySize = 0, headers }: HarEntry['request']): TrafficRequest['body'] {
  const body = bytesOf(postData);
  if (body !== undefined) {
    return body;
  }
  const length = headers.find(({ name }) => name.toLowerCase() === 'content-length')?.value ?? '0';
  const isChunked = headers.some(({ name }) => name.toLowerCase() === 'transfer-encoding');
  return bodySize > 0 || length !== '0' || isChunked || postData !== undefined ? undefined : null;
}

function bytesOf(
  body: { readonly text?: string; readonly encoding?: string } | undefined,
): Buffer | undefined {
  return body?.text === undefined
    ? undefined
    : Buffer.from(body.text, body.encoding === 'base64' ? 'base64' : 'utf8');
}
