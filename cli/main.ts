import { errorCode, messageOf } from '../contract/error-text.ts';
import { InconclusiveError } from '../contract/inconclusive-error.ts';
import { describeFailure } from './shared/failure.ts';
import { endAfterError } from './shared/interruption.ts';
import { runProgram } from './program.ts';

function report(error: unknown): number {
  const { text, exitCode } = describeFailure(error, process.env);
  process.stderr.write(text);
  return exitCode;
}

// A reader that went away, such as head or a terminal that was closed, must not change the verdict, nor must progress that
// cannot be written.
process.stdout.on('error', (error) => {
  if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) {
    throw new InconclusiveError(`stdout cannot be written: ${messageOf(error)}`);
  }
});
process.stderr.on('error', () => {});

// A terminal that nobody told its size has no columns, for which libraries would wrap a line without end, and no rows, in
// which they would show nothing.
if (process.stderr.isTTY) {
  process.stderr.columns ||= 80;
  process.stderr.rows ||= 24;
}

// Node exits with 13 if nothing is left that could end a wait; that is no verdict either.
process.on('exit', (code) => {
  if (code === 13) {
    process.stderr.write(
      'stockcheck: the run waits for something that cannot happen; this is a fault of stockcheck.\n',
    );
    process.exitCode = 3;
  }
});

// Node would exit with 1 here, which means nonconformant, and what a run changed would stay changed.
let failure: number | undefined;
process.on('uncaughtException', (error) => {
  const exitCode = report(error);
  if (failure !== undefined || !endAfterError(error)) {
    process.exit(exitCode);
  }
  failure = exitCode;
});

try {
  const exitCode = await runProgram(process.argv.slice(2));
  process.exitCode = failure ?? exitCode;
} catch (error) {
  process.exitCode = failure ?? report(error);
}
