import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject, parseJson, stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import { makeFolder } from '../../../contract/make-folder.ts';
import { possibleIdentity, stateDirectories } from '../../../suites/target/index.ts';
import type { VerifyOptions } from '../options.ts';
import type { OpenRequirement } from './open-requirements.ts';

/** What the last runs against one target left open. It holds ids of the register and of checks, and nothing else. */
export interface RememberedRun {
  /** When the last of them ended, in ISO 8601. */
  readonly endedAt: string;
  readonly open: readonly OpenRequirement[];
}

/** What stands for the target of a run in all of its runs. */
export function targetIdentity({ config, image }: Pick<VerifyOptions, 'config' | 'image'>): string {
  if (config === null) {
    return 'embedded';
  }
  return image === null ? possibleIdentity(config.target) : `image ${image.name}`;
}

/** What is remembered of a target, or `null`. A file that cannot be read is as good as none. */
export function recallRun(identity: string): RememberedRun | null {
  try {
    return rememberedRun(parseJson(readFileSync(fileOf(identity), 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Keeps it for the next run, unless nothing is open and nothing was. What cannot be written is forgotten: no run depends on
 * it.
 */
export function rememberRun(identity: string, { endedAt, open }: RememberedRun): void {
  const file = fileOf(identity);
  if (open.length === 0 && !existsSync(file)) {
    return;
  }
  const draft = `${file}.${randomUUID()}`;
  const rows = open.map(({ id, outcome, checks }) => ({ id, outcome, checks }));
  try {
    makeFolder(folder(), 0o700);
  } catch {
    return;
  }
  try {
    writeFileSync(draft, stringifyJson({ endedAt, open: rows }), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}

function folder(): string {
  const [first = ''] = stateDirectories();
  return join(first, 'last-runs');
}

function fileOf(identity: string): string {
  return join(folder(), `${createHash('sha256').update(identity).digest('hex').slice(0, 16)}.json`);
}

function rememberedRun(value: JsonValue): RememberedRun | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const { endedAt, open } = value;
  return typeof endedAt === 'string' && Array.isArray(open)
    ? { endedAt, open: open.flatMap((row: JsonValue) => openRow(row)) }
    : null;
}

function openRow(row: JsonValue): readonly OpenRequirement[] {
  if (!isJsonObject(row)) {
    return [];
  }
  const { id, outcome, checks } = row;
  return typeof id === 'string' && (outcome === 'fail' || outcome === 'inconclusive')
    ? [
        {
          id,
          outcome,
          checks: Array.isArray(checks) ? checks.filter((one) => typeof one === 'string') : null,
        },
      ]
    : [];
}
