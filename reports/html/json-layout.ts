/** A stretch of a JSON text that reads well as a line, and how deep it is nested. */
export interface JsonLine {
  readonly depth: number;
  readonly text: string;
}

/** Objects and arrays that hold no other stay in one line if none of them is longer than this, in characters. */
const WIDTH = 120;

// A string, or what the end of the text cut off of one.
const STRING = String.raw`"(?:[^"\\]|\\.)*(?:"|\\?$)`;
const INNERMOST = String.raw`[{[](?:${STRING}|[^{}[\]"])*[}\]]`;

/** What stands in a line: a closing bracket, or whatever ends with a comma, an opening one or before a closing one. */
function linePattern(whole: string): RegExp {
  const comma = String.raw`(?:[ \t]*,)?`;
  const others = String.raw`(?:${STRING}|[^{}[\],"])*`;
  return new RegExp(String.raw`[ \t]*[}\]]${comma}|${others}(?:${whole}${comma}|[{[]|,|(?=[}\]])|$)`, 'gs');
}

const EACH_INNERMOST = new RegExp(INNERMOST, 'gs');
const WITH_INNERMOST_WHOLE = linePattern(INNERMOST);
const ALL_DIVIDED = linePattern(String.raw`[{[]`);

/**
 * A JSON text that stands in one line, divided into lines to be read. Together they are that text: nothing is added or
 * left out, so digits that a parser would lose are there, and so is a second member of the same name. `null` for any
 * other text. What is cut off is divided up to its end.
 */
export function divideJson(text: string): readonly JsonLine[] | null {
  if (!/^[ \t]*[{[]/.test(text) || /[\r\n]/.test(text)) {
    return null;
  }
  const areShort = [...text.matchAll(EACH_INNERMOST)].every(([whole]) => whole.length <= WIDTH);
  let depth = 0;
  return [...text.matchAll(areShort ? WITH_INNERMOST_WHOLE : ALL_DIVIDED)]
    .filter(([line]) => line !== '')
    .map(([line]) => {
      const own = /^\s*[}\]]/.test(line) ? Math.max(0, depth - 1) : depth;
      depth = /[{[]$/.test(line) ? own + 1 : own;
      return { depth: own, text: line };
    });
}
