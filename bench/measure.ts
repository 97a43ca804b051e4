import { medianOf } from '../contract/quantile.ts';

/** How two sides are measured. */
export interface Windows {
  readonly pairs: number;
  /** Of a window; whole ones. */
  readonly seconds: number;
  readonly connections: number;
}

/** One window of load: requests a second, and microseconds of CPU time for each. */
export interface Sample {
  readonly rate: number;
  /** Of the server's process, if servers are compared; of the generator's, if these are. */
  readonly cpu: number;
}

/** Two windows, one right after the other. */
interface Pair {
  readonly reference: Sample;
  readonly other: Sample;
}

/** Measures both sides in turn, after one window of each that is thrown away. */
async function measurePairs(
  count: number,
  measureReference: () => Promise<Sample>,
  measureOther: () => Promise<Sample>,
): Promise<readonly Pair[]> {
  await measureOther();
  await measureReference();
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    // Every other pair the other way round, so that neither side always comes first.
    if (pairs.length % 2 === 0) {
      const reference = await measureReference();
      pairs.push({ reference, other: await measureOther() });
    } else {
      const other = await measureOther();
      pairs.push({ reference: await measureReference(), other });
    }
  }
  return pairs;
}

/** The head of a table of comparisons; a ratio above 1 favours the reference. */
export function comparisonHead(reference: string): string {
  return [
    `| ${reference} against | requests/s | its requests/s | throughput ratio `,
    '| CPU µs/request | its CPU µs/request | CPU ratio |\n',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n',
  ].join('');
}

/**
 * Measures both sides in turn, and describes their medians. A ratio is taken within each pair, so that what slows the machine
 * for a while slows both sides.
 */
export async function comparisonRow(
  name: string,
  pairs: number,
  measureReference: () => Promise<Sample>,
  measureOther: () => Promise<Sample>,
): Promise<string> {
  const measured = await measurePairs(pairs, measureReference, measureOther);
  const medianText = (digits: number, read: (pair: Pair) => number): string =>
    medianOf(measured.map(read)).toFixed(digits);
  const cells = [
    name,
    medianText(0, ({ reference }) => reference.rate),
    medianText(0, ({ other }) => other.rate),
    medianText(2, ({ reference, other }) => reference.rate / other.rate),
    medianText(1, ({ reference }) => reference.cpu),
    medianText(1, ({ other }) => other.cpu),
    medianText(2, ({ reference, other }) => other.cpu / reference.cpu),
  ];
  return `| ${cells.join(' | ')} |\n`;
}
