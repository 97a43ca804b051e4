import { writeFileSync } from 'node:fs';

import { AREAS, REQUIREMENT_SETS, REQUIREMENTS, type Requirement } from '../contract/requirements/index.ts';

const [FIRST_SET] = REQUIREMENT_SETS;
const LEVEL_WORDS = { must: 'MUST', should: 'SHOULD', observe: 'observed' } as const;

/** The page `docs/requirements.md`: the requirement register, by areas. */
export function requirementsPage(): string {
  const areas = AREAS.map((area) =>
    [`## ${capitalised(area)}`, ...REQUIREMENTS.filter((row) => row.area === area).map(entryOf)].join('\n\n'),
  );
  return [INTRODUCTION, ...areas].join('\n\n') + '\n';
}

const INTRODUCTION = `# Requirements

Every requirement of the [specification](../contract/specification.md), by areas: its level, what it says in our words, the
sentences that it rests on, and how an ambiguity is read. \`npx stockcheck explain ID\` also says how it is checked, and
[Reports](reports.md#how-a-verdict-comes-about) what the levels mean. The area \`client\` is what \`certify\` judges; the
others are what \`verify\` judges.

This page is written by \`npm run pages\` from \`contract/requirements/\`; change it there.`;

function entryOf({
  id,
  since,
  level,
  clause,
  statement,
  quotes,
  basis,
  reading,
  notChecked,
}: Requirement): string {
  return [
    `### \`${id}\``,
    `${LEVEL_WORDS[level]} (${escaped(clause)}${since === FIRST_SET ? '' : `; since set ${since}`}). ${escaped(statement)}`,
    ...(quotes ?? []).map((quote) => `> ${escaped(quote)}`),
    ...(basis === undefined ? [] : [`What it rests on: ${escaped(basis)}`]),
    ...(reading === undefined ? [] : [`How it is read: ${escaped(reading)}`]),
    ...(notChecked === undefined ? [] : [`Not judged: ${escaped(notChecked)}`]),
  ].join('\n\n');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Text that Markdown shows as it stands. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]|]/g, String.raw`\$&`);
}

if (import.meta.main) {
  writeFileSync(new URL('requirements.md', import.meta.url), requirementsPage());
}
