import type { CompletedCommand, CompletedValue } from './completed-command.ts';

/** The completion script for bash; it needs no other package. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = [...commands.map(({ name }) => name), '--help', '--version'];
  return `# Completion of stockcheck for bash.
_stockcheck() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command= word
  COMPREPLY=()
  # In --option=value, bash takes the sign for a word.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = && COMP_CWORD -gt 1 ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [[ $word == -- ]]; then
      COMPREPLY=($(compgen -f -- "$current"))
      return
    fi
    if [[ -z $command && $word != -* ]]; then
      command=$word
    fi
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W '${names.join(' ')}' -- "$current"))
    return
  fi
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command $current" in
${commands.flatMap(commandCases).join('\n')}
  esac
}
complete -F _stockcheck stockcheck
`;
}

function valueCases({ name, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ long, value }) =>
    value === null ? [] : [`    '${name} --${long}') ${action(value)}; return ;;`],
  );
}

function commandCases({ name, options, operand }: CompletedCommand): readonly string[] {
  const words = options.map(({ long }) => `--${long}`).join(' ');
  return [
    `    '${name} -'*) COMPREPLY=($(compgen -W '${words}' -- "$current")) ;;`,
    ...(operand === null ? [] : [`    '${name} '*) ${action(operand)} ;;`]),
  ];
}

function action(value: CompletedValue): string {
  switch (value.kind) {
    case 'file':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))';
    case 'folder':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current"))';
    case 'words':
      return `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$current"))`;
    case 'unknown':
      return ':';
  }
}
