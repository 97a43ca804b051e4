import type { Exchange } from '../exchange.ts';

/** An update that was answered since the last list, so that what the list shows can be told to come from it. */
export interface WriteRecord {
  readonly petId: bigint | null;
  /** What it asked for; `null` if that is open. */
  readonly quantity: number | null;
  /** What the pet may have stood at before. */
  readonly before: readonly (number | null)[];
  readonly isAccepted: boolean;
  readonly answeredAt: number;
  readonly exchange: Exchange;
}

const MOST_RECORDS = 512;

export type WriteRecords = ReturnType<typeof keepWriteRecords>;

/** Keeps the updates since the last list, oldest first. */
export function keepWriteRecords() {
  let records: WriteRecord[] = [];
  return {
    note: (record: WriteRecord): void => {
      records.push(record);
      if (records.length > MOST_RECORDS) {
        records = records.slice(-MOST_RECORDS / 2);
      }
    },
    /** A list that was asked for at this moment shows what came of all before. */
    settle: (sentAt: number): void => {
      if (records.length > 0) {
        records = records.filter(({ answeredAt }) => answeredAt > sentAt);
      }
    },
    all: (): readonly WriteRecord[] => records,
  };
}

/** Whether the sum of the old and the new quantity is shown. */
export function isSum(
  { before, quantity }: Pick<WriteRecord, 'before' | 'quantity'>,
  seen: number | undefined,
): boolean {
  return (
    quantity !== null &&
    quantity !== 0 &&
    before.some((old) => old !== null && old !== 0 && old + quantity === seen)
  );
}
