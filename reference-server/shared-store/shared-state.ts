import { readInventoryItem, type InventoryItem } from '../../contract/inventory.ts';
import { parseJson, stringifyJson, type ExactInteger } from '../../contract/json/index.ts';
import type { SeedKey } from '../../fixtures/corpora/index.ts';
import type { BanRule } from '../service/bans.ts';
import { createInventoryStore, type InventoryStore } from '../service/inventory-store.ts';
import { createSharedKeys, type Ruling, type SharedKeys } from './shared-keys.ts';

/** A change of the shared state: its name and what it takes. */
export type Command = readonly string[];

export interface SharedStateOptions {
  /** What the service is at start; all of its processes have it in common. */
  readonly seed: {
    readonly keys: readonly SeedKey[];
    readonly inventory: readonly InventoryItem[];
    readonly ban: BanRule | false;
  };
  /** Called whenever the state begins anew. */
  readonly onReset: () => void;
}

/** After a restart of Redis nothing is decided for so long: every process that knew more than it has can say so. */
const QUARANTINE_SECONDS = 1;

export type SharedState = ReturnType<typeof createSharedState>;

type Changes = Readonly<Record<string, (...words: readonly string[]) => void>>;

/** How the log has gone so far. */
interface Course {
  phase: 'new' | 'open' | 'lost' | 'foreign';
  /** Of the last command, by the clock of Redis; Unix seconds. */
  time: number;
  /** Seconds by which the clock of the service is ahead of that. */
  offset: number;
  /** Which run of Redis the log knows of. */
  run: string;
  /** Before that nothing is decided, since Redis was started. */
  resumesAt: number;
}

const NEW: Course = { phase: 'new', time: 0, offset: 0, run: '', resumesAt: 0 };

/**
 * The state of a service with several processes, as each of them computes it from the same log of commands: whatever
 * follows from a command depends on those before it alone.
 */
export function createSharedState({ seed, onReset }: SharedStateOptions) {
  const beginning = JSON.stringify([seed.keys, seed.ban, writeItems(seed.inventory)]);
  const inventory = createInventoryStore(seed.inventory);
  const keys = createSharedKeys(seed.ban);
  let course = { ...NEW };
  // Before the log was read again.
  let knownOffset = 0;

  const now = (): number => course.time + course.offset;

  function begin(salt = '', configuration = ''): void {
    keys.begin(salt, seed.keys);
    course.phase = configuration === keys.digestOf(beginning) ? 'open' : 'foreign';
    inventory.reset();
    onReset();
  }

  /** Those that hold whether or not the state is in use. */
  const transitions: Changes = {
    begin: (salt, configuration) => (course.phase === 'new' ? begin(salt, configuration) : undefined),
    reset: (salt, configuration, ahead) => {
      course.offset = Math.max(course.offset, Number(ahead));
      begin(salt, configuration);
    },
    lose: () => {
      course.phase = 'lost';
    },
    run: (run = '') => {
      const isAnother = course.run !== '' && course.run !== run;
      course.resumesAt = isAnother ? course.time + QUARANTINE_SECONDS : course.resumesAt;
      course.run = run;
    },
    advance: (seconds) => {
      course.offset += Number(seconds);
    },
  };
  const changes = changesOf(keys, inventory, now);
  const origin = (): Command => [keys.salt(), keys.digestOf(beginning)];

  return {
    inventory,
    keys,
    course: (): Readonly<Course> => course,
    isResuming: (): boolean => course.time < course.resumesAt,
    /** The time of the last command by the clock of the service; Unix seconds. */
    now,
    beginning: (): Command => ['begin', ...origin()],
    reset: (): Command => ['reset', ...origin(), `${Math.max(course.offset, knownOffset)}`],
    /** The commands that lead to this state. */
    snapshot: (): readonly Command[] => [
      ['reset', ...origin(), `${course.offset}`],
      ['run', course.run],
      ['items', writeItems(inventory.list())],
      ...keys.list().map(({ digest, text, usage }) => ['key', digest, text, usage]),
    ],
    /** Forgets what the log said so far, to read it again. */
    forget: (): void => {
      knownOffset = Math.max(course.offset, knownOffset);
      course = { ...NEW };
    },
    /**
     * Carries a command out.
     * @param at its time by the clock of Redis; Unix seconds
     * @returns what was decided if it is about the request of a valid key
     */
    carryOut: ([name = '', ...words]: Command, at: number): Ruling | undefined => {
      course.time = at;
      const isUsable = course.phase === 'open' && at >= course.resumesAt;
      if (name === 'request' && isUsable) {
        return keys.decide(words[0] ?? '', now());
      }
      const change = transitions[name] ?? (isUsable ? changes[name] : undefined);
      change?.(...words);
      return undefined;
    },
  };
}

function changesOf(keys: SharedKeys, inventory: InventoryStore, now: () => number): Changes {
  return {
    undo: (digest = '', before = '', after = '') => keys.undo(digest, before, after),
    giveBack: (digest = '') => keys.alter(digest, (limiter, key) => limiter.giveBack(key)),
    earlier: (digest = '', requests = '') =>
      keys.alter(digest, (limiter, key) => limiter.countEarlier(key, Number(requests), now())),
    key: (digest = '', record = '', usage) => keys.issue(digest, record, usage),
    revoke: (digest = '') => keys.revoke(digest),
    quantity: (petId = '', quantity = '') => inventory.setQuantity(BigInt(petId), readQuantity(quantity)),
    items: (text = '') => inventory.replace(readItems(text)),
  };
}

export function writeItems(items: readonly InventoryItem[]): string {
  return stringifyJson(items);
}

function readItems(text: string): readonly InventoryItem[] {
  const values = parseJson(text);
  return (Array.isArray(values) ? values : []).flatMap((value) => {
    const reading = readInventoryItem(value);
    return 'item' in reading ? [reading.item] : [];
  });
}

function readQuantity(text: string): ExactInteger {
  const narrow = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(narrow) ? BigInt(text) : narrow;
}
