/** Bad usage or configuration, exit code 2. Each line of the message names the field or option at fault. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}
