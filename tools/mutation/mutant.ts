/** One change of the reference server's code. */
export interface Mutant {
  /** Its number in this build; it changes with the code. */
  readonly id: string;
  /** From `reference-server/`, such as `service/window.ts`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The declaration at the top level of the file that holds it. */
  readonly declaration: string;
  readonly mutator: string;
  /** What is changed into what; with `file` and `declaration` it names the mutant for as long as the code stays. */
  readonly change: string;
}

/** A mutant as the instrumenter tells it. */
export interface PlacedMutant {
  readonly id: string;
  readonly mutatorName: string;
  readonly replacement: string;
  /** Lines and columns from 0. */
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const LONGEST_TEXT = 90;

/** Names the mutants of one file by what they change; the same change again in one declaration gets a number. */
export function describeMutants(
  file: string,
  source: string,
  placed: readonly PlacedMutant[],
): readonly Mutant[] {
  const lines = source.split('\n');
  const seen = new Map<string, number>();
  return placed.map(({ id, mutatorName, replacement, location: { start, end } }) => {
    const declaration = declarationAt(lines, start.line);
    const change = `${shorten(textBetween(lines, start, end))} → ${shorten(replacement)}`;
    const name = `${declaration}: ${change}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return {
      id,
      file,
      line: start.line + 1,
      declaration,
      mutator: mutatorName,
      change: count === 1 ? change : `${change} #${count}`,
    };
  });
}

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  return lines
    .slice(start.line, end.line + 1)
    .map((line, index, { length }) =>
      line.slice(index === 0 ? start.column : 0, index === length - 1 ? end.column : undefined),
    )
    .join('\n');
}

/** In formatted code what begins in the first column begins a declaration. */
function declarationAt(lines: readonly string[], line: number): string {
  const names = lines
    .slice(0, line + 1)
    .flatMap((text) => /^(?:export )?(?:async )?(?:function|const|let) (\w+)/.exec(text)?.[1] ?? []);
  return names.at(-1) ?? '(module)';
}

function shorten(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  return flat.length <= LONGEST_TEXT ? flat : `${flat.slice(0, LONGEST_TEXT)}…`;
}
