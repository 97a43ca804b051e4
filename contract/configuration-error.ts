/** Bad usage or configuration, exit code 2. Each line of the message names the field or option at fault. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/**
 * What is read.
 * @param wrong what the message begins with if it cannot be
 * @throws {ConfigurationError} in place of a `SyntaxError`
 */
export function readOrRefuse<Read>(wrong: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof SyntaxError
      ? new ConfigurationError(`${wrong}: ${error.message}`, { cause: error })
      : error;
  }
}
