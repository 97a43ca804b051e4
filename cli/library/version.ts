import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version in this package's package.json, from the sources as from dist/. */
export function packageVersion(): string {
  const path = findPackageJSON(import.meta.url);
  const manifest: unknown = path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}
