import { ConfigurationError } from '../suites/configuration-error.ts';
import { FleetError } from '../load/fleet/fleet-error.ts';
import type { Environment } from './color.ts';
import { UnusableImage } from './image/unusable-image.ts';
import { errorCode } from './json-file.ts';

/** What stderr says of an error that ended the program, and the exit code. */
export interface Failure {
  readonly text: string;
  readonly exitCode: 2 | 3;
}

/** Bad usage is 2; an image that can't be judged, a machine that allows too little, and anything unforeseen is 3, inconclusive, with a stack trace only under DEBUG=stockcheck. */
export function describeFailure(error: unknown, environment: Environment): Failure {
  if (error instanceof ConfigurationError) {
    return { text: prefixed(error.message.split('\n')), exitCode: 2 };
  }
  if (error instanceof UnusableImage || error instanceof FleetError) {
    return { text: prefixed(error.message.split('\n')), exitCode: 3 };
  }
  if (errorCode(error) === 'EMFILE') {
    const advice =
      'Too many files and connections are open: raise `ulimit -n`, or do less at once (--jobs, --connections).';
    return { text: prefixed([advice]), exitCode: 3 };
  }
  const message = error instanceof Error ? error.message : String(error);
  const debugging = (environment['DEBUG'] ?? '').split(',').includes('stockcheck');
  const stack = debugging && error instanceof Error ? `${error.stack ?? ''}\n` : '';
  const lines = [
    `unexpected error: ${message}`,
    'This is a fault of stockcheck, not of the target; please report it with the output under DEBUG=stockcheck.',
  ];
  return { text: `${prefixed(lines)}${stack}`, exitCode: 3 };
}

function prefixed(lines: readonly string[]): string {
  return lines.map((line) => `stockcheck: ${line}\n`).join('');
}
