import {
  isJsonObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/index.ts';

/** One member of the lines of a transcript, over all of them. */
export interface TranscriptColumn {
  readonly values: number;
  /** Different texts. */
  readonly different: number;
  /** Of its numbers, and of texts that are decimal integers. */
  readonly sum: number;
}

interface Column {
  values: number;
  readonly texts: Set<string>;
  sum: number;
}

/** What the members of the lines hold in all, by their names: a line that is changed changes one of them. */
export function columnsOf(lines: readonly JsonObject[]): Readonly<Record<string, TranscriptColumn>> {
  const columns = new Map<string, Column>();
  for (const line of lines) {
    addObject(line, typeof line['do'] === 'string' ? line['do'] : '', columns);
  }
  return Object.fromEntries(
    [...columns].map(([name, { values, texts, sum }]) => [name, { values, different: texts.size, sum }]),
  );
}

function addObject(object: JsonObject, path: string, columns: Map<string, Column>): void {
  for (const [name, value] of Object.entries(object)) {
    const own = `${path}.${name}`;
    if (name === 'headers' && Array.isArray(value)) {
      addHeaders(value, own, columns);
    } else {
      add(name === 'value' ? stringifyJson(value) : value, own, columns);
    }
  }
}

function addHeaders(fields: readonly JsonValue[], path: string, columns: Map<string, Column>): void {
  for (const field of fields) {
    const [name, value = null] = Array.isArray(field) ? field : [];
    add(value, typeof name === 'string' ? `${path}.${name}` : path, columns);
  }
}

function add(value: JsonValue, path: string, columns: Map<string, Column>): void {
  if (Array.isArray(value)) {
    value.forEach((item) => add(item, path, columns));
    return;
  }
  if (isJsonObject(value)) {
    addObject(value, path, columns);
    return;
  }
  let column = columns.get(path);
  if (column === undefined) {
    column = { values: 0, texts: new Set(), sum: 0 };
    columns.set(path, column);
  }
  column.values += 1;
  if (typeof value === 'string') {
    column.texts.add(value);
    column.sum += /^\d{1,15}$/.test(value) ? Number(value) : 0;
  } else {
    column.sum += Number(value ?? 0);
  }
}
