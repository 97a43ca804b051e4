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
