import manifest from '../../package.json' with { type: 'json' };

/** The version in this package's package.json; the package itself has it built in. */
export function packageVersion(): string {
  return manifest.version;
}
