import type { CompletedCommand, CompletedOption, CompletedValue } from './completed-command.ts';

/** The completion script for zsh: for `source`, or as a file `_stockcheck` in a folder of `fpath`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef stockcheck
# Completion of stockcheck for zsh.
_stockcheck() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, help }) => `      ${quoted(`${name}:${help}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _stockcheck ]]; then
  _stockcheck "$@"
else
  compdef _stockcheck stockcheck
fi
`;
}

function commandCase({ name, options, operand }: CompletedCommand): string {
  const specs = [
    ...options.map(optionSpec),
    ...(operand === null || operand.kind === 'unknown' ? [] : [quoted(`*:operand:${action(operand)}`)]),
  ];
  return `    ${name}) _arguments ${specs.join(' \\\n      ')} ;;`;
}

function optionSpec({ long, help, value }: CompletedOption): string {
  const text = help.replaceAll(/[\\[\]]/g, String.raw`\$&`);
  const taken = value === null ? '' : `:value:${action(value)}`;
  return quoted(`*--${long}[${text}]${taken}`);
}

function action(value: CompletedValue): string {
  switch (value.kind) {
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'words':
      return `(${value.words.join(' ')})`;
    case 'unknown':
      return ' ';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
