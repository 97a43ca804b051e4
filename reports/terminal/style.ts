import { styleText } from 'node:util';
import type { Outcome } from '../../contract/verdict.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';

type Format = Parameters<typeof styleText>[0];

/** Colours a text, or returns it unchanged if no colour is wanted. */
export type Style = (format: Format, text: string) => string;

export const OUTCOME_COLOUR = {
  pass: 'green',
  fail: 'red',
  inconclusive: 'yellow',
  skipped: 'gray',
  observed: 'blue',
} as const satisfies Record<Outcome, Format>;

export function styleFor(color: boolean): Style {
  return (format, text) => (color ? styleText(format, text, { validateStream: false }) : text);
}

/** The sign of the outcome in its colour. */
export function signOf(outcome: Outcome, style: Style): string {
  return style(OUTCOME_COLOUR[outcome], OUTCOME_SIGN[outcome]);
}

/** Lists of lines by their titles, in that order; a list without a line is left out. */
export function titledLists(
  lists: Readonly<Record<string, readonly string[]>>,
  style: Style,
): readonly string[] {
  return Object.entries(lists)
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [style('bold', title), ...lines].join('\n'));
}
