/** What keeps a run from any verdict: exit code 3. The message says what to do, and names the option. */
export class InconclusiveError extends Error {
  override readonly name: string = 'InconclusiveError';
}
