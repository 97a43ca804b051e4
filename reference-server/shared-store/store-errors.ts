/** The store gives no answer at the moment; what was asked of it may have happened or not. */
export class StoreUnavailableError extends Error {}

/** The store has less than this process knows it had, so that nobody can say what remains of a limit. */
export class StateLostError extends Error {}

/** The store cannot serve this service; the message tells the user why, in a sentence without a stop. */
export class UnusableStoreError extends Error {}
