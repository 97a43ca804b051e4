/** Tells on stderr what is allowed, but looks like a mistake. `--quiet` hides progress, not this. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) {
    process.stderr.write(`warning: ${warning}\n`);
  }
}
