import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import { errorCode } from '../../../contract/error-text.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import type { ClientCommand } from './environment.ts';

// The machine's fault, not the command's.
const OUT_OF_RESOURCES = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** The error to throw if the system refused to start a client. */
export function startFailure(error: unknown, { command, directory }: ClientCommand): unknown {
  const code = errorCode(error);
  if (code === undefined || OUT_OF_RESOURCES.has(code)) {
    return error;
  }
  if (directory !== undefined && kindOf(directory) !== 'directory') {
    return new ConfigurationError(`The working directory ${directory} of the client does not exist`);
  }
  const [program = '', ...words] = command;
  const path = program.includes('/') ? resolve(directory ?? '.', program) : null;
  const reason = reasonOf(code, path === null ? null : kindOf(path));
  const hint =
    /\s/.test(program) && words.length === 0
      ? '; the program and its arguments are given as separate words'
      : '';
  return new ConfigurationError(`The client cannot be started: ${program}: ${reason}${hint}`, {
    cause: error,
  });
}

type Kind = 'directory' | 'other' | 'none';

function reasonOf(code: string, kind: Kind | null): string {
  if (kind === 'directory') {
    return 'this is a directory, not a program';
  }
  if (code === 'ENOENT') {
    if (kind === null) {
      return 'no such program was found';
    }
    return kind === 'none'
      ? 'there is no such file'
      : 'the interpreter that its first line names was not found';
  }
  return code === 'EACCES' ? 'it may not be executed (is it marked as executable?)' : code;
}

function kindOf(path: string): Kind {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    return 'none';
  }
  return found.isDirectory() ? 'directory' : 'other';
}
