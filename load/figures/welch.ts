import { sum } from './request-counts.ts';

/** Rounds of one side, each as the natural logarithm of what was measured. */
export interface LogarithmicSample {
  readonly logarithms: readonly number[];
  /** The least variance of one of them by chance, if it is a count; otherwise 0. */
  readonly leastVariance: number;
}

/**
 * Welch's interval for the difference of two means whose variances need not be equal: of logarithms, so
 * that it is the logarithm of a ratio (B. L. Welch, Biometrika 34, 1947). Without spread on either side, or
 * with a single value on each, the bounds are the change itself.
 * @returns the difference of the means, and its 95 % confidence bounds
 */
export function compareLogarithms(before: LogarithmicSample, after: LogarithmicSample) {
  const change = mean(after.logarithms) - mean(before.logarithms);
  const sides = [before, after].map((sample) => ({
    variance: Math.max(variance(sample.logarithms), sample.leastVariance) / sample.logarithms.length,
    freedom: Math.max(1, sample.logarithms.length - 1),
  }));
  const total = sum(sides.map(({ variance }) => variance));
  if (total === 0) {
    return { change, lower: change, upper: change };
  }
  // Divided first, as the square of a very small variance would be 0.
  const freedom = 1 / sum(sides.map(({ variance, freedom }) => (variance / total) ** 2 / freedom));
  const margin = studentT95(freedom) * Math.sqrt(total);
  return { change, lower: change - margin, upper: change + margin };
}

function variance(values: readonly number[]): number {
  if (values.length < 2) {
    return 0;
  }
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1);
}

/** The arithmetic mean; 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

const INTERVALS = 200;
const STEPS = 10;

/**
 * The t that Student's distribution exceeds in absolute value with a probability of 5 %: the factor of a
 * 95 % confidence interval. Right to five digits from 2 degrees of freedom on, whole or not.
 *
 * With t = √df · tan θ the density becomes cos^(df − 1) θ, which is integrated by Simpson's rule, so that no
 * gamma function is needed. Newton's method then finds the quantile; as the density falls, it comes from
 * below and never goes too far.
 */
export function studentT95(degreesOfFreedom: number): number {
  const density = (angle: number): number => Math.cos(angle) ** (degreesOfFreedom - 1);
  const wanted = 0.95 * integrate(density, Math.PI / 2);
  let angle = 0;
  for (let step = 0; step < STEPS; step += 1) {
    angle += (wanted - integrate(density, angle)) / density(angle);
  }
  return Math.sqrt(degreesOfFreedom) * Math.tan(angle);
}

/** From 0 to `end`, by Simpson's rule. */
function integrate(density: (angle: number) => number, end: number): number {
  const step = end / INTERVALS;
  let sum = density(0) + density(end);
  for (let index = 1; index < INTERVALS; index += 1) {
    sum += (index % 2 === 1 ? 4 : 2) * density(index * step);
  }
  return (sum * step) / 3;
}
