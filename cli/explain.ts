/** Placeholder. */
export function runExplain(options: { id: string | null; color: boolean }): number {
  process.stdout.write(`${options.id ?? 'all'}\n`);
  return 0;
}
