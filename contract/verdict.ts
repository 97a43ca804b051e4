/** How binding a requirement is: `must` decides the verdict, `should` is reported, `observe` is recorded. */
export type Level = 'must' | 'should' | 'observe';

/** The five outcomes of a requirement. No evidence is never a `pass`. */
export type Outcome = 'pass' | 'fail' | 'inconclusive' | 'skipped' | 'observed';

/** One header field as it stood on the wire: name in the sender's letter-case, value without surrounding space. */
export type HeaderField = readonly [name: string, value: string];

/**
 * One HTTP exchange as it is kept for evidence. API keys are already replaced by labels such as `free#1`,
 * and bodies are cut to a readable length.
 */
export interface RecordedExchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HeaderField[];
    readonly body: string | null;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderField[];
    readonly body: string;
    /** Length of the whole body in bytes; `body` may hold less. */
    readonly bodyBytes: number;
  } | null;
  /** ISO 8601, by the suite's clock. */
  readonly sentAt: string;
  /** Milliseconds from sending to the last byte of the response. */
  readonly durationMilliseconds: number;
}

/** A violation, or the reason why something could not be decided, with its evidence. */
export interface Finding {
  readonly message: string;
  readonly exchange?: RecordedExchange;
  /** A command line that repeats the request; the key stands in it as its label. */
  readonly curl?: string;
}
