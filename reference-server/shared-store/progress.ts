import type { Reply } from './replies.ts';

/** How far this process has seen the shared state come; it notices by it if Redis has lost something. */
export interface ReplicaProgress {
  /** Names the state from one beginning to the next; '' before the process has joined. */
  readonly epoch: () => string;
  /** How many epochs the process has seen. */
  readonly epochs: () => number;
  /** The greatest sequence number of a script's run in this epoch. */
  readonly sequence: () => number;
  /** The time by the clock of the service, as well as it is known without asking; Unix seconds. */
  readonly now: () => number;
  /** Whether Redis has said the time yet. */
  readonly knowsTime: () => boolean;
  readonly enter: (epoch: string, sequence: number) => void;
  readonly follow: (reply: Pick<Reply, 'sequence' | 'now'>) => void;
}

export function createProgress(): ReplicaProgress {
  let epoch = '';
  let epochs = 0;
  let sequence = 0;
  let latest: { readonly now: number; readonly at: number } | undefined;

  function now(): number {
    return latest === undefined ? Date.now() / 1_000 : latest.now + (performance.now() - latest.at) / 1_000;
  }

  return {
    epoch: () => epoch,
    epochs: () => epochs,
    sequence: () => sequence,
    now,
    knowsTime: () => latest !== undefined,
    enter: (entered, from) => {
      if (entered !== epoch) {
        epoch = entered;
        epochs += 1;
        sequence = from;
      }
    },
    follow: (reply) => {
      sequence = Math.max(sequence, reply.sequence);
      if (reply.now >= now()) {
        latest = { now: reply.now, at: performance.now() };
      }
    },
  };
}
