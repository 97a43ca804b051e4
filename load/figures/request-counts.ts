import type { LoadMeasurement } from '../../contract/load-result.ts';

/** Requests that were lost, not sent or answered 5xx. */
export function failedCount(measurement: LoadMeasurement): number {
  return lostCount(measurement) + measurement.unsent + answeredWith(measurement, isServerError);
}

/** Requests that were sent and never answered, by a cause that counts. */
export function lostCount(
  { lost }: LoadMeasurement,
  counts: (cause: string) => boolean = () => true,
): number {
  return sum(Object.entries(lost).map(([cause, count]) => (counts(cause) ? count : 0)));
}

/** Answers with a status that counts. */
export function answeredWith({ statuses }: LoadMeasurement, counts: (status: number) => boolean): number {
  return sum(Object.entries(statuses).map(([status, count]) => (counts(Number(status)) ? count : 0)));
}

export function isServerError(status: number): boolean {
  return status >= 500 && status <= 599;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
