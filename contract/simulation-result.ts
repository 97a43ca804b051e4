/** How many requests a client sent. */
export interface RequestsPerClient {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Requests of a storm, by what became of them; those sent are the sum of the others. */
export interface StormRequests {
  readonly sent: number;
  /** Accepted, and answered in time. */
  readonly granted: number;
  /** Refused for a limit or a ban, and answered in time. */
  readonly refused: number;
  /** Answered 503 at once, since the queue was full. */
  readonly dropped: number;
  /** Answered after the client had given up waiting. */
  readonly late: number;
  /** Not answered at the end of the time that is looked at. */
  readonly inFlight: number;
}

/** What became of the clients of one policy. */
export interface ClientsOutcome {
  /** The policy, in a phrase such as `exact: waits as long as Retry-After says`. */
  readonly policy: string;
  readonly clients: number;
  readonly served: number;
  readonly gaveUp: number;
  readonly banned: number;
  readonly requestsPerClient: RequestsPerClient;
  /** When half of those that were served were; `null` if none was. */
  readonly medianServedSeconds: number | null;
}

/** What happened in a stretch of time; counts of requests. */
export interface StormStep {
  /** Since the first wave began. */
  readonly second: number;
  readonly sent: number;
  /** Those of `sent` whose client had been told to wait before. */
  readonly returning: number;
  readonly granted: number;
  /** Refused, dropped or late. */
  readonly failed: number;
  /** The most of 100 ms. */
  readonly peak: number;
  /** Clients that have not got all they want at the end of it. */
  readonly waiting: number;
  /** The longest wait for a worker, in seconds. */
  readonly longestWait: number;
}

/** The most requests in 100 ms. */
export interface StormPeak {
  readonly requests: number;
  readonly atSeconds: number;
}

/**
 * What became of a storm. The first wave are the requests of each client until it is first told to wait; what follows
 * is called returning.
 */
export interface StormOutcome {
  /** When the last client had all it wanted; `null` if not all were served. */
  readonly drainSeconds: number | null;
  readonly servedShare: number;
  /** When that share of all clients was served; `null` if it never was. */
  readonly servedBy: {
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p99: number | null;
  };
  readonly requests: StormRequests;
  readonly requestsPerClient: RequestsPerClient;
  readonly firstPeak: StormPeak;
  readonly returningPeak: StormPeak;
  /** Wait for a worker in seconds. */
  readonly longestWait: { readonly first: number; readonly returning: number };
  /** Returning requests that were dropped or late. */
  readonly returningFailed: number;
  readonly bannedShare: number;
  readonly gaveUpShare: number;
  readonly clients: readonly ClientsOutcome[];
  /** Length of each of `steps`. */
  readonly stepSeconds: number;
  readonly steps: readonly StormStep[];
}

/** What a storm was played with. */
export interface StormSetting {
  readonly seed: number;
  readonly clients: number;
  /** Accepted requests that each client wants. */
  readonly requestsEach: number;
  readonly policies: readonly { readonly policy: string; readonly share: number }[];
  /** Over which clients begin. */
  readonly arrivalSeconds: number;
  /** Between an accepted request and the next. */
  readonly pauseSeconds: number;
  /** Longest wait of a client for an answer. */
  readonly timeoutSeconds: number;
  /** Virtual time that is looked at. */
  readonly durationSeconds: number;
  /** Into the minute, at which the storm begins. */
  readonly phaseSeconds: number;
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  /** How the service differs from the reference, in phrases. */
  readonly server: readonly string[];
  readonly service: {
    /** Accepted requests a second. */
    readonly capacity: number;
    readonly workers: number;
    readonly serviceSeconds: number;
    /** What a refusal costs, as a share of an accepted request. */
    readonly refusalShare: number;
    /** Requests that may wait; `null` for any number. */
    readonly queue: number | null;
  };
  /** Wait for a worker, in seconds, up to which the service keeps within its capacity. */
  readonly longestWait: number;
  /** Where figures come from, in sentences. */
  readonly sources: readonly string[];
}

/** A storm that was played, as a value that `--json` writes. */
export interface SimulationResult {
  readonly schemaVersion: 1;
  readonly kind: 'simulate';
  readonly suite: { readonly version: string };
  readonly setting: StormSetting;
  /** Whether the service kept within its capacity after the first wave. */
  readonly holds: boolean;
  readonly outcome: StormOutcome;
}
