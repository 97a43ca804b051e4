import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../../contract/json/index.ts';

/** A metric as a receiver finds it. */
export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly data: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, string>>;
    /** Of a gauge or a sum. */
    readonly value: number | null;
    readonly bucketCounts: readonly number[];
    readonly explicitBounds: readonly number[];
    readonly count: number | null;
    readonly sum: number | null;
  }[];
}

/** The members of each message of OTLP 1.5 that may stand here, by the names of its JSON mapping. */
const MESSAGES = {
  request: ['resourceMetrics'],
  resourceMetrics: ['resource', 'scopeMetrics', 'schemaUrl'],
  resource: ['attributes', 'droppedAttributesCount'],
  scopeMetrics: ['scope', 'metrics', 'schemaUrl'],
  scope: ['name', 'version', 'attributes', 'droppedAttributesCount'],
  metric: ['name', 'description', 'unit', 'gauge', 'sum', 'histogram', 'metadata'],
  gauge: ['dataPoints'],
  sum: ['dataPoints', 'aggregationTemporality', 'isMonotonic'],
  histogram: ['dataPoints', 'aggregationTemporality'],
  numberPoint: ['attributes', 'startTimeUnixNano', 'timeUnixNano', 'asDouble', 'asInt', 'flags'],
  histogramPoint: [
    'attributes',
    'startTimeUnixNano',
    'timeUnixNano',
    'count',
    'sum',
    'bucketCounts',
    'explicitBounds',
    'min',
    'max',
    'flags',
  ],
  attribute: ['key', 'value'],
} as const;

/** Reads an ExportMetricsServiceRequest in JSON, and throws if something in it is no part of that message. */
export function readExportRequest(text: string): readonly ReceivedMetric[] {
  const request = message('request', parseJson(text));
  return all(request['resourceMetrics']).flatMap((one) => {
    const resourceMetrics = message('resourceMetrics', one);
    attributesOf(message('resource', resourceMetrics['resource']));
    return all(resourceMetrics['scopeMetrics']).flatMap((scoped) => {
      const scopeMetrics = message('scopeMetrics', scoped);
      message('scope', scopeMetrics['scope']);
      return all(scopeMetrics['metrics']).map(readMetric);
    });
  });
}

function readMetric(value: JsonValue): ReceivedMetric {
  const metric = message('metric', value);
  const kinds = (['gauge', 'sum', 'histogram'] as const).filter((kind) => metric[kind] !== undefined);
  const [data] = kinds;
  if (data === undefined || kinds.length > 1) {
    throw new Error(`A metric holds one kind of data: ${JSON.stringify(metric)}`);
  }
  const body = message(data, metric[data]);
  // CUMULATIVE is 2 in the published enumeration.
  if (data !== 'gauge' && body['aggregationTemporality'] !== 2) {
    throw new Error(`${JSON.stringify(metric)} is not cumulative`);
  }
  return {
    name: textOf(metric['name']),
    unit: textOf(metric['unit']),
    data,
    points: all(body['dataPoints']).map((point) => readPoint(point, data)),
  };
}

function readPoint(value: JsonValue, data: ReceivedMetric['data']): ReceivedMetric['points'][number] {
  const point = message(data === 'histogram' ? 'histogramPoint' : 'numberPoint', value);
  const [from, to] = [point['startTimeUnixNano'], point['timeUnixNano']].map((time) => BigInt(textOf(time)));
  if (from === undefined || to === undefined || from > to) {
    throw new Error('A point ends before it begins');
  }
  const bucketCounts = all(point['bucketCounts'] ?? []).map(Number);
  const explicitBounds = all(point['explicitBounds'] ?? []).map(Number);
  const count = point['count'] === undefined ? null : Number(point['count']);
  if (data === 'histogram') {
    const total = bucketCounts.reduce((sum, one) => sum + one, 0);
    if (bucketCounts.length !== explicitBounds.length + 1 || total !== count) {
      throw new Error('The buckets do not fit the bounds and the count');
    }
  }
  return {
    attributes: attributesOf(point),
    value: point['asDouble'] === undefined ? null : Number(point['asDouble']),
    bucketCounts,
    explicitBounds,
    count,
    sum: point['sum'] === undefined ? null : Number(point['sum']),
  };
}

function attributesOf(holder: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    all(holder['attributes'] ?? []).map((one) => {
      const { key, value } = message('attribute', one);
      const text = value !== undefined && isJsonObject(value) ? value['stringValue'] : undefined;
      return [textOf(key), textOf(text)];
    }),
  );
}

function message(name: keyof typeof MESSAGES, value: JsonValue | undefined): JsonObject {
  if (value === undefined || !isJsonObject(value)) {
    throw new Error(`${name} is missing`);
  }
  const known: readonly string[] = MESSAGES[name];
  const unknown = Object.keys(value).filter((member) => !known.includes(member));
  if (unknown.length > 0) {
    throw new Error(`${name} has no member ${unknown.join(', ')}`);
  }
  return value;
}

function all(value: JsonValue | undefined): readonly JsonValue[] {
  if (!Array.isArray(value)) {
    throw new TypeError('A list is missing');
  }
  return value;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== 'string') {
    throw new TypeError(`Not a text: ${JSON.stringify(value)}`);
  }
  return value;
}
