import { ConfigurationError } from '../../../contract/configuration-error.ts';

/** Fields that the suite sets itself, or whose change would spoil every exchange. */
const RESERVED = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the value of `--header`: a field name and value as RFC 9110, section 5, has them, in ASCII.
 * @throws {ConfigurationError} that names the field; the value is never shown
 */
export function parseHeader(text: string): readonly [name: string, value: string] {
  const parts = /^(?<name>[\w!#$%&'*+.^`|~-]+):[ \t]*(?<value>[\t -~]*?)[ \t]*$/.exec(text)?.groups;
  const { name, value } = parts ?? {};
  if (name === undefined || value === undefined) {
    throw new ConfigurationError(`--header must have the form 'Name: value' in printable ASCII`);
  }
  if (name.toLowerCase() === 'authorization') {
    throw new ConfigurationError('--header Authorization is refused: keys are given with --key plan=key');
  }
  if (RESERVED.has(name.toLowerCase()) || /^x-ratelimit-/i.test(name)) {
    throw new ConfigurationError(`--header ${name} is refused: the suite needs this field for itself`);
  }
  return [name, value];
}
