import type { Span } from '../timeline.ts';

/** What is seen of a request that counts, or may count. */
interface CountedRequest {
  readonly decided: Span;
  readonly counts: 'surely' | 'perhaps';
  /** When the earliest request was sent that may be decided at the same time. */
  readonly overlapsFrom: number;
  /** Whether nothing may have counted since a window before this request. */
  readonly isFirst: boolean;
  /** Whether nothing counted before it, so that the window may have begun sooner, as when the key was issued. */
  readonly isFirstOfAll: boolean;
  /** Requests without a response, each of which may have begun a window at any moment since. */
  readonly lost: number;
  /** Whether it was refused by a full window, so that it began none. */
  readonly isRefused?: boolean;
}

/** A stretch within which the present window may have begun. */
interface Beginning {
  low: number;
  readonly high: number;
  /** Requests that surely lie in that window, and those that may. */
  surely: number;
  most: number;
  /** Whether all that was sent since lies in it. */
  readonly isWhole: boolean;
}

// The last window is over, or there was none.
const NONE: Readonly<Beginning> = { low: -Infinity, high: -Infinity, surely: 0, most: 0, isWhole: false };

/** A window of which that request is the first that was taken. @param low when it began, at the earliest */
function beginningWith({ decided, counts }: CountedRequest, low: number, isWhole: boolean): Beginning {
  return { low, high: decided.to, surely: counts === 'surely' ? 1 : 0, most: 1, isWhole };
}

// Where nothing is known, a window may have begun in any of so many parts of its length.
const CELLS = 120;
// If there are more, those within one part are not told apart.
const MOST_APART = 2 * CELLS;

/** Adds one to those that are kept. @param width within which many are not told apart, in milliseconds */
function append(kept: Beginning[], begun: Beginning, width: number): void {
  const last = kept.at(-1);
  if (last === undefined || last.isWhole || begun.low - last.low > width || kept.length <= MOST_APART) {
    kept.push(begun);
    return;
  }
  begun.low = Math.min(last.low, begun.low);
  begun.surely = Math.min(last.surely, begun.surely);
  begun.most = Math.max(last.most, begun.most);
  kept[kept.length - 1] = begun;
}

interface FixedWindowsOptions {
  readonly limit: number;
  /** Of a window, in milliseconds. */
  readonly length: number;
  /** Milliseconds by which a window may be shorter or longer, in a server that counts time coarsely. */
  readonly margin: number;
  /** With the first request after the one before, or at any moment after its end. */
  readonly begin: 'with a request' | 'at any moment';
}

/** Fixed windows that begin with a request, and those that begin anywhere. */
export type AllFixedWindows = ReturnType<typeof followAllFixedWindows>;

export function followAllFixedWindows(options: Omit<FixedWindowsOptions, 'begin'>) {
  const fromRequests = followFixedWindows({ ...options, begin: 'with a request' });
  const anywhere = followFixedWindows({ ...options, begin: 'at any moment' });
  let possible = { fromRequest: true, anywhere: true };
  return {
    /** Whether they could have granted what was taken. */
    possible: () => possible,
    take: (request: CountedRequest): void => {
      possible = { fromRequest: fromRequests.take(request), anywhere: anywhere.take(request) };
    },
    refused: (decided: Span, further: number): void => {
      fromRequests.refused(decided, further);
      anywhere.refused(decided, further);
    },
    forget: (knownSince: number): void => {
      possible = { fromRequest: true, anywhere: true };
      fromRequests.forget(knownSince);
      anywhere.forget(knownSince);
    },
  };
}

/** Follows windows that end all at once, and not sooner than one length after they began: when the present one may have begun. */
function followFixedWindows({ limit, length, margin, ...options }: FixedWindowsOptions) {
  const width = length / CELLS;
  let lastFrom = -Infinity;
  let knownSince: number | null = null;
  let beginnings: Beginning[] | null = null;

  /** Wherever somebody else's window may have begun. */
  const unknown = (until: number): Beginning[] =>
    Array.from({ length: CELLS + Math.ceil((2 * margin) / width) }, (_, cell) => {
      const high = until - cell * width;
      return { low: high - width, high, surely: 0, most: Infinity, isWhole: false };
    }).toReversed();

  /** Takes a request into a window that is not over. @returns whether that can be */
  const goOn = (beginning: Beginning, { decided, counts }: CountedRequest): boolean => {
    if (decided.from > beginning.high + length + margin) {
      return counts === 'perhaps';
    }
    if (counts === 'surely' && (beginning.isWhole || decided.from >= beginning.high)) {
      beginning.surely += 1;
    }
    beginning.most += 1;
    return beginning.surely <= limit;
  };

  /** The window that a request begins if the one before is over. @param ends when that was, at the earliest */
  const begin = (ends: number, request: CountedRequest): Beginning => {
    const { decided, overlapsFrom, lost } = request;
    const sent = Math.min(decided.from, overlapsFrom);
    const sinceEnd = Math.max(ends, decided.from - length - margin);
    const low = lost > 0 ? sinceEnd : options.begin === 'at any moment' ? Math.max(sinceEnd, lastFrom) : sent;
    return beginningWith(request, Math.min(low, sent), false);
  };

  return {
    /** @returns whether such a window could have granted it */
    take: (request: CountedRequest): boolean => {
      const { decided, counts, overlapsFrom, isFirst, isFirstOfAll } = request;
      // What cannot be does not come back.
      if (beginnings?.length === 0) {
        return false;
      }
      if (isFirst) {
        const sent = Math.min(decided.from, overlapsFrom);
        const mayBeOlder = isFirstOfAll || options.begin === 'at any moment';
        const low = mayBeOlder ? sent - length - margin : sent;
        lastFrom = decided.from;
        const begun = beginningWith(request, low, true);
        beginnings = counts === 'surely' ? [begun] : [NONE, begun];
        return true;
      }
      const before = beginnings ?? [NONE, ...unknown(knownSince ?? decided.to)];
      const earliest =
        request.isRefused === true
          ? Infinity
          : before.reduce((least, { low }) => Math.min(least, low), Infinity);
      const ends = earliest + length - margin;
      beginnings = before.filter((beginning) => goOn(beginning, request));
      if (decided.to >= ends) {
        append(beginnings, begin(ends, request), width);
      }
      lastFrom = Math.max(lastFrom, decided.from);
      return beginnings.length > 0;
    },
    /** A full window refused the request that was taken last, when so many further ones may have counted: not all can have been full. */
    refused: ({ from }: Span, further: number): void => {
      beginnings =
        beginnings?.filter(
          ({ high, most }) => from <= high + length + margin && most - 1 + further >= limit,
        ) ?? null;
    },
    /** Somebody else may have begun a window until that moment; nobody else has since. */
    forget: (since: number): void => {
      knownSince = since;
      beginnings = null;
      lastFrom = -Infinity;
    },
  };
}
