import { ConfigurationError } from '../../contract/configuration-error.ts';

/** What an action says of bad usage; 'nothing was thrown' if it is good. */
export function usageErrorOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof ConfigurationError ? error.message : `unexpected: ${String(error)}`;
  }
  return 'nothing was thrown';
}
