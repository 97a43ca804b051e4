import { findRequirement } from '../../contract/requirements/index.ts';
import type { RepeatableFinding } from '../model/findings.ts';
import { printableLine } from '../model/words.ts';

/** A script for a POSIX shell that says what was seen, and has `replay` look for it again. */
export function renderScript({ id, requirement, title, clause, message, target }: RepeatableFinding): string {
  const [quote] = findRequirement(requirement)?.quotes ?? [];
  const lines = [
    '#!/bin/sh',
    `# ${requirement}: ${comment(title)}`,
    `# Specification, ${comment(clause)}${quote === undefined ? '' : `: "${comment(quote)}"`}`,
    `# Seen: ${comment(message)}`,
    '#',
    `# This sends what led there to ${comment(target)} again, and judges it: 1 if the fault is there, 0 if it is gone.`,
    '# With TARGET it goes to another service. Options of replay may follow, such as --key free=KEY.',
    `exec npx stockcheck replay "$(dirname "$0")/.." ${id} \${TARGET:+--target "$TARGET"} "$@"`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What a comment can say. */
function comment(text: string): string {
  return printableLine(text, 300);
}
