import { errorCode, messageOf } from '../../contract/error-text.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { InconclusiveError } from '../../contract/inconclusive-error.ts';

/** What stderr says of an error that ended the program, and the exit code. */
export interface Failure {
  readonly text: string;
  readonly exitCode: 2 | 3;
}

/** Bad usage is 2; an image that cannot be judged, a machine that allows too little or has no room, and anything unforeseen is 3, inconclusive, with a stack trace only under DEBUG=stockcheck. */
export function describeFailure(error: unknown, environment: NodeJS.ProcessEnv): Failure {
  if (error instanceof ConfigurationError) {
    return { text: prefixed(error.message.split('\n')), exitCode: 2 };
  }
  if (error instanceof InconclusiveError) {
    return { text: prefixed(error.message.split('\n')), exitCode: 3 };
  }
  const reason = describeRefusal(error);
  if (reason !== undefined) {
    return { text: prefixed(reason), exitCode: 3 };
  }
  const message = messageOf(error);
  const debugging = (environment['DEBUG'] ?? '').split(',').includes('stockcheck');
  const stack = debugging && error instanceof Error ? `${error.stack ?? ''}\n` : '';
  const lines = [
    `unexpected error: ${message}`,
    'This is a fault of stockcheck, not of the target; please report it with the output under DEBUG=stockcheck.',
  ];
  return { text: `${prefixed(lines)}${stack}`, exitCode: 3 };
}

const TOO_MANY =
  'Too many files and connections are open: raise `ulimit -n`, or do less at once (--jobs, --connections).';

/** What to do if the system refuses a file or a resource. */
const ADVICE: Readonly<Record<string, string>> = {
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  EACCES: 'Give the user who runs it that permission.',
  EPERM: 'Give the user who runs it that permission.',
  EROFS: 'Name a folder that can be written.',
  ENOSPC: 'Make room on that disk, or name a folder on another.',
  EDQUOT: 'Make room on that disk, or name a folder on another.',
  EFBIG: 'Raise `ulimit -f`, or name a folder on another disk.',
  ENOMEM: 'It needs more memory than this machine gives it.',
  EIO: 'The disk or the terminal fails.',
};

/** Says what the system refused, or `undefined` if it was something else. */
function describeRefusal(error: unknown): readonly string[] | undefined {
  const code = errorCode(error) ?? '';
  const advice = ADVICE[code];
  if (advice === undefined || !(error instanceof Error)) {
    return undefined;
  }
  const isAboutState = /[/\\](?:journal|locks)[/\\]/.test(error.message);
  return advice === TOO_MANY
    ? [advice]
    : [
        `the system refuses it: ${error.message}`,
        isAboutState ? `${advice} STOCKCHECK_STATE_DIR names the folder for journals.` : advice,
      ];
}

function prefixed(lines: readonly string[]): string {
  return lines.map((line) => `stockcheck: ${line}\n`).join('');
}

/** What was to be listened on, and the option that named the port. */
export interface ListeningPlace {
  readonly option: string;
  readonly port: number;
  readonly host: string;
}

/** Why a port or host cannot be listened on, naming the option at fault; `undefined` if it is something else. */
export function listenProblem(error: unknown, { option, port, host }: ListeningPlace): string | undefined {
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `${option}: port ${port} is in use; choose another, or 0 for any that is free`,
    EACCES: `${option}: port ${port} needs privileges; choose one above 1023`,
    EADDRNOTAVAIL: `--host ${host}: this machine has no such address`,
    ENOTFOUND: `--host ${host}: there is no such host`,
  };
  return messages[errorCode(error) ?? ''];
}
