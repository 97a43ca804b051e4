import type { KeyHistory } from './key-history.ts';
import type { KeyJournal, KeyJournalPart } from './key-journal.ts';

/** A journal of which only so much waits to be judged; if judging falls too far behind, it ends early and says so. */
export interface BoundedJournal {
  readonly history: KeyHistory;
  /** As of any journal; `null` once it has ended early. */
  readonly take: (isEnd: boolean) => KeyJournalPart | null;
  /** Takes note that parts of this size wait no longer. */
  readonly judged: (bytes: number) => void;
}

/** Bytes of one journal that may wait. */
const MOST_WAITING = 64 * 2 ** 20;

// Of what is kept of a response beside its body.
const DETAILS_BYTES = 1_024;

const NOTHING = new Float64Array();

/** @param mostWaiting bytes that may wait to be judged */
export function boundJournal({ history, take }: KeyJournal, mostWaiting = MOST_WAITING): BoundedJournal {
  let waiting = 0;
  let isCut = false;
  return {
    history: {
      leaving: (...event) => {
        if (!isCut) {
          history.leaving(...event);
        }
      },
      received: (...event) => {
        if (!isCut) {
          history.received(...event);
        }
      },
      lost: (...event) => {
        if (!isCut) {
          history.lost(...event);
        }
      },
      whenDecided: (...event) => {
        if (!isCut) {
          history.whenDecided(...event);
        }
      },
    },
    take: (isEnd) => {
      if (isCut) {
        return null;
      }
      const part = take(isEnd);
      waiting += sizeOfPart(part);
      isCut = waiting > mostWaiting;
      return isCut ? { ...part, entries: NOTHING, details: [], isCut } : part;
    },
    judged: (bytes) => {
      waiting -= bytes;
    },
  };
}

/** About how much memory a part takes. */
export function sizeOfPart({ entries, details }: Pick<KeyJournalPart, 'entries' | 'details'>): number {
  return details.reduce((sum, { body }) => sum + DETAILS_BYTES + (body?.length ?? 0), entries.byteLength);
}
