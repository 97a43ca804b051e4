import type { Key } from '../../suites/oracle/index.ts';
import type { Books, OperationBook } from '../figures/books.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import type { KeyUseEntry } from '../engine/key-use.ts';
import type { LedgerAccount } from '../judging/remaining-ledger.ts';
import { decodeTimes, encodeTimes, type EncodedTimes } from '../figures/times.ts';

type BooksWithTimes = 'operations' | 'delayedService' | 'inVain' | 'lag';

/** A run as JSON carries it. */
export interface EncodedRun extends Omit<EngineRun, 'books' | 'uses' | 'accounts'> {
  readonly books: Omit<Books, BooksWithTimes> & {
    readonly operations: readonly (Pick<OperationBook, 'name' | 'statuses'> & {
      readonly prompt: EncodedTimes;
      readonly delayed: EncodedTimes;
    })[];
    readonly delayedService: EncodedTimes;
    readonly inVain: EncodedTimes;
    readonly lag: EncodedTimes;
  };
  readonly uses: readonly (Omit<KeyUseEntry, 'key'> & { readonly label: string })[];
  readonly accounts: readonly (Omit<LedgerAccount, 'key'> & { readonly label: string })[];
}

export function encodeRun({ books, uses, accounts, ...run }: EngineRun): EncodedRun {
  return {
    ...run,
    books: {
      ...books,
      operations: books.operations.map((operation) => ({
        ...operation,
        prompt: encodeTimes(operation.prompt),
        delayed: encodeTimes(operation.delayed),
      })),
      delayedService: encodeTimes(books.delayedService),
      inVain: encodeTimes(books.inVain),
      lag: encodeTimes(books.lag),
    },
    uses: uses.map(labelled),
    accounts: accounts.map(labelled),
  };
}

/** @param keys those that the load was planned with */
export function decodeRun({ books, uses, accounts, ...run }: EncodedRun, keys: Iterable<Key>): EngineRun {
  const byLabel = new Map([...keys].map((key) => [key.label, key] as const));
  return {
    ...run,
    books: {
      ...books,
      operations: books.operations.map((operation) => ({
        ...operation,
        prompt: decodeTimes(operation.prompt),
        delayed: decodeTimes(operation.delayed),
      })),
      delayedService: decodeTimes(books.delayedService),
      inVain: decodeTimes(books.inVain),
      lag: decodeTimes(books.lag),
    },
    uses: uses.flatMap((entry) => keyedBy(byLabel, entry)),
    accounts: accounts.flatMap((account) => keyedBy(byLabel, account)),
  };
}

function labelled<Entry extends { readonly key: Key }>({ key, ...entry }: Entry) {
  return { ...entry, label: key.label };
}

function keyedBy<Entry extends { readonly label: string }>(
  keys: ReadonlyMap<string, Key>,
  { label, ...entry }: Entry,
) {
  const key = keys.get(label);
  return key === undefined ? [] : [{ ...entry, key }];
}
