import type { LoadMeasurement } from '../../contract/load-result.ts';

/** Requests that were lost, not sent or answered 5xx, and lists with a valid key that were answered as no list is. */
export function failedCount(measurement: LoadMeasurement): number {
  const lists = measurement.operations.filter(({ name }) => name === LISTING_NAME);
  return (
    lostCount(measurement) +
    measurement.unsent +
    answeredWith(measurement, isServerError) +
    sum(lists.map((list) => answeredWith(list, isNoAnswerToList)))
  );
}

/** What results call a request for the list with a valid key. */
export const LISTING_NAME = 'GET /inventory';
// A list, and refusals for the key or its limit.
const ANSWERS_TO_LIST = new Set([200, 401, 403, 429]);

/** Whether a request for the list with a valid key has no reason to be answered so. That a server fails is another matter. */
export function isNoAnswerToList(status: number): boolean {
  return !ANSWERS_TO_LIST.has(status) && !isServerError(status);
}

/** Requests that were sent and never answered, by a cause that counts. */
export function lostCount(
  { lost }: LoadMeasurement,
  counts: (cause: string) => boolean = () => true,
): number {
  return sum(Object.entries(lost).map(([cause, count]) => (counts(cause) ? count : 0)));
}

/** Answers with a status that counts. */
export function answeredWith(
  { statuses }: Pick<LoadMeasurement, 'statuses'>,
  counts: (status: number) => boolean,
): number {
  return sum(Object.entries(statuses).map(([status, count]) => (counts(Number(status)) ? count : 0)));
}

export function isServerError(status: number): boolean {
  return status >= 500 && status <= 599;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** As sentences say rates and durations. */
export function toTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
