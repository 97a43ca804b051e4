import { runProgram } from './program.ts';
import { describeFailure, type Failure } from './shared/failure.ts';
import { ConfigurationError } from '../contract/configuration-error.ts';

/** What is said of a command line that cannot be carried out, and the exit code, without a process for it. */
export async function refusalOf(words: readonly string[]): Promise<Failure> {
  let exitCode: number;
  try {
    exitCode = await runProgram(words);
  } catch (error) {
    return describeFailure(error, {});
  }
  throw new Error(`${words.join(' ')} was carried out, with exit code ${exitCode}`);
}

/** What an action says of bad usage; 'nothing was thrown' if it is good. */
export function usageErrorOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof ConfigurationError ? error.message : `unexpected: ${String(error)}`;
  }
  return 'nothing was thrown';
}
