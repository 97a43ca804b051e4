import type { Key } from '../../suites/oracle/index.ts';
import type { AnswerTimes, OperationRecording, Recording } from '../figures/recording.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import type { KeyUseEntry } from '../engine/key-use.ts';
import { decodeTimes, encodeTimes, type EncodedTimes } from '../figures/times.ts';

type RecordingWithTimes = 'operations' | 'delayedService' | 'timedOut' | 'lag';

type EncodedAnswerTimes = Readonly<Record<keyof AnswerTimes, EncodedTimes>>;

/** A run as JSON carries it. */
export interface EncodedRun extends Omit<EngineRun, 'recording' | 'uses'> {
  readonly recording: Omit<Recording, RecordingWithTimes> & {
    readonly operations: readonly (Pick<OperationRecording, 'name' | 'statuses'> & {
      readonly success: EncodedAnswerTimes;
      readonly other: EncodedAnswerTimes;
    })[];
    readonly delayedService: EncodedTimes;
    readonly timedOut: EncodedTimes;
    readonly lag: EncodedTimes;
  };
  readonly uses: readonly (Omit<KeyUseEntry, 'key'> & { readonly label: string })[];
}

export function encodeRun({ recording, uses, ...run }: EngineRun): EncodedRun {
  return {
    ...run,
    recording: {
      ...recording,
      operations: recording.operations.map((operation) => ({
        ...operation,
        success: encodeAnswerTimes(operation.success),
        other: encodeAnswerTimes(operation.other),
      })),
      delayedService: encodeTimes(recording.delayedService),
      timedOut: encodeTimes(recording.timedOut),
      lag: encodeTimes(recording.lag),
    },
    uses: uses.map(labelled),
  };
}

/** @param keys those that the load was planned with */
export function decodeRun({ recording, uses, ...run }: EncodedRun, keys: Iterable<Key>): EngineRun {
  const byLabel = new Map([...keys].map((key) => [key.label, key] as const));
  return {
    ...run,
    recording: {
      ...recording,
      operations: recording.operations.map((operation) => ({
        ...operation,
        success: decodeAnswerTimes(operation.success),
        other: decodeAnswerTimes(operation.other),
      })),
      delayedService: decodeTimes(recording.delayedService),
      timedOut: decodeTimes(recording.timedOut),
      lag: decodeTimes(recording.lag),
    },
    uses: uses.flatMap((entry) => keyedBy(byLabel, entry)),
  };
}

function encodeAnswerTimes({ onTime, delayed }: AnswerTimes): EncodedAnswerTimes {
  return { onTime: encodeTimes(onTime), delayed: encodeTimes(delayed) };
}

function decodeAnswerTimes({ onTime, delayed }: EncodedAnswerTimes): AnswerTimes {
  return { onTime: decodeTimes(onTime), delayed: decodeTimes(delayed) };
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
