import type { CompletedCommand, CompletedOption, CompletedValue } from './completed-command.ts';

/** The completion script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  return [
    '# Completion of stockcheck for fish.',
    'complete -c stockcheck -f',
    ...commands.map(
      ({ name, help }) => `complete -c stockcheck -n __fish_use_subcommand -a ${name} -d ${quoted(help)}`,
    ),
    ...commands.flatMap(commandLines),
    '',
  ].join('\n');
}

function commandLines({ name, options, operand }: CompletedCommand): readonly string[] {
  const start = `complete -c stockcheck -n '__fish_seen_subcommand_from ${name}'`;
  const operands = operand === null || operand.kind === 'unknown' ? [] : [`${start}${action(operand)}`];
  return [...options.map((option) => `${start}${optionWords(option)}`), ...operands];
}

function optionWords({ long, help, value }: CompletedOption): string {
  const taken = value === null ? '' : value.kind === 'file' ? ' -r' : ' -x';
  return ` -l ${long} -d ${quoted(help)}${taken}${value === null ? '' : action(value)}`;
}

function action(value: CompletedValue): string {
  switch (value.kind) {
    case 'file':
      return ' -F';
    case 'folder':
      return " -a '(__fish_complete_directories)'";
    case 'words':
      return ` -a ${quoted(value.words.join(' '))}`;
    case 'unknown':
      return '';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
