import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { readInventoryItem, type InventoryItem } from '../contract/inventory.ts';
import { isJsonObject, parseJson, stringifyJson } from '../contract/lossless-json.ts';

/**
 * What a run is about to change at a target, kept on disk so that the next run can undo it after a crash, and
 * so that two runs on one machine stay off each other's pets.
 */
export interface Journal {
  /** Writes down how these pets stood, before anything is sent to them; `whole` where they are the whole inventory. */
  note(items: readonly InventoryItem[], whole?: boolean): void;
  /** These pets stand as they did. */
  settle(petIds: readonly bigint[]): void;
  /** Pets that another live run has noted for this target. */
  notedElsewhere(): ReadonlySet<string>;
  /** What runs that died left behind, and how to forget it. */
  leftBehind(): readonly LeftBehind[];
  /** Deletes the journal where everything is settled. */
  close(): void;
}

interface LeftBehind {
  readonly items: readonly InventoryItem[];
  readonly whole: boolean;
  readonly forget: () => void;
}

function isSet(folder: string | undefined): folder is string {
  return folder !== undefined && folder !== '';
}

/** Folder for state: STOCKCHECK_STATE_DIR, else stockcheck/ in XDG_STATE_HOME or ~/.local/state. */
export function stateDirectory(): string {
  const { STOCKCHECK_STATE_DIR: own, XDG_STATE_HOME: xdg } = process.env;
  const base = isSet(xdg) ? xdg : join(homedir(), '.local', 'state');
  return isSet(own) ? own : join(base, 'stockcheck');
}

/** Journals that runs of this process have open. */
const openHere = new Set<string>();

/** Opens the journal of this process for a target. @throws where the folder can't be written. */
export function openJournal(target: string, directory: string): Journal {
  const folder = join(directory, 'journal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(target).digest('hex').slice(0, 16);
  const own = `${name}-${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}.json`;
  const file = join(folder, own);
  openHere.add(own);
  const noted = new Map<string, InventoryItem>();
  let notedWhole = false;

  const write = (): void => {
    const draft = `${file}.draft`;
    const items = [...noted.values()].map(({ petId, quantity, status }) => ({ petId, quantity, status }));
    writeFileSync(draft, stringifyJson({ target, whole: notedWhole, items }), { mode: 0o600 });
    renameSync(draft, file);
  };
  const others = (): readonly { readonly path: string; readonly alive: boolean }[] =>
    readdirSync(folder)
      .filter((entry) => entry.startsWith(`${name}-`) && entry.endsWith('.json') && entry !== own)
      .map((entry) => ({ path: join(folder, entry), alive: isAlive(entry) }));

  let elsewhere: { readonly at: number; readonly petIds: ReadonlySet<string> } | undefined;
  return {
    note: (items, whole = false) => {
      notedWhole ||= whole;
      for (const item of items) {
        noted.set(item.petId.toString(), item);
      }
      write();
    },
    settle: (petIds) => {
      for (const petId of petIds) {
        noted.delete(petId.toString());
      }
      write();
    },
    notedElsewhere: () => {
      const now = performance.now();
      if (elsewhere === undefined || now - elsewhere.at > 100) {
        const petIds = others()
          .filter(({ alive }) => alive)
          .flatMap(({ path }) => readJournal(path).items.map((item) => item.petId.toString()));
        elsewhere = { at: now, petIds: new Set(petIds) };
      }
      return elsewhere.petIds;
    },
    leftBehind: () =>
      others()
        .filter(({ alive }) => !alive)
        .map(({ path }) => {
          const { items, whole } = readJournal(path);
          return { items, whole, forget: () => rmSync(path, { force: true }) };
        }),
    close: () => {
      openHere.delete(own);
      if (noted.size === 0) {
        rmSync(file, { force: true });
      }
    },
  };
}

/** Whether the process that wrote this journal still runs; one of another machine is taken to. */
function isAlive(entry: string): boolean {
  const parts = /^[0-9a-f]+-(?<host>.*)-(?<pid>\d+)-[0-9a-f]{8}[.]json$/.exec(entry)?.groups;
  if (parts === undefined || parts['host'] !== hostname()) {
    return true;
  }
  if (Number(parts['pid']) === process.pid) {
    return openHere.has(entry);
  }
  try {
    process.kill(Number(parts['pid']), 0);
    return true;
  } catch {
    return false;
  }
}

function readJournal(path: string): { readonly items: readonly InventoryItem[]; readonly whole: boolean } {
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    const journal = isJsonObject(value) ? value : {};
    const listed = journal['items'];
    const items = (Array.isArray(listed) ? listed : []).flatMap((item) => {
      const reading = readInventoryItem(item);
      return 'item' in reading ? [reading.item] : [];
    });
    return { items, whole: journal['whole'] === true };
  } catch {
    // Another run may have deleted it just now.
    return { items: [], whole: false };
  }
}
