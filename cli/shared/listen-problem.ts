import { errorCode } from '../../contract/error-text.ts';

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
