import type { ExactInteger } from '../../../contract/json/index.ts';
import type { QuantityRange } from './journal-records.ts';

const NUMBER = /-?\d+(?:[.]\d+)?(?:[eE][+-]?\d+)?/g;
// Bodies beyond are long for other reasons than their quantity.
const LONGEST_BODY = 4096;
const MOST_NUMBERS = 32;
const WIDTHS = [16, 32];

/**
 * Quantities that an update with this body may leave behind at a server that makes anything of it: one of its numbers,
 * rounded or cut to fewer bits, or added to what was there; 0 and 1 for what stands for them elsewhere.
 * @param before the quantity when the update is sent
 */
export function possibleQuantities(
  body: string | Uint8Array | null,
  before: ExactInteger,
): readonly QuantityRange[] {
  const text = (typeof body === 'string' ? body : Buffer.from(body ?? []).toString('latin1')).slice(
    0,
    LONGEST_BODY,
  );
  const numbers = (text.match(NUMBER) ?? []).slice(0, MOST_NUMBERS).flatMap(integersNear);
  const words = /true/i.test(text) ? [1n] : [];
  const nothings = /null|false|""|\[|undefined|^\s*$|\{\s*\}/.test(text) ? [0n] : [];
  const set = [...numbers, ...words, ...nothings];
  const reached = [...set, ...set.map((number) => BigInt(before) + number)];
  const cut = WIDTHS.flatMap((bits) =>
    reached.flatMap((number) => [BigInt.asIntN(bits, number), BigInt.asUintN(bits, number)]),
  );
  return [...new Set([...reached, ...cut])].map((number) => [number, number]);
}

function integersNear(literal: string): readonly bigint[] {
  if (/^-?\d+$/.test(literal)) {
    return [BigInt(literal)];
  }
  const number = Number(literal);
  return Number.isFinite(number) ? [BigInt(Math.floor(number)), BigInt(Math.ceil(number))] : [];
}
