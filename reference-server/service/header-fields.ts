/** A message, or what becomes one; header fields in order: name, value, name, value … */
interface WithHeaders {
  readonly headers: readonly string[];
}

/** The value of the first field of that name, in any letter-case. */
export function headerOf({ headers }: WithHeaders, name: string): string | undefined {
  const at = indexOfHeader(headers, name);
  return at === -1 ? undefined : headers[at + 1];
}

/** Replaces the value of a field, or appends the field. */
export function withHeader<Message extends WithHeaders>(message: Message, name: string, value: string) {
  const { headers } = message;
  const at = indexOfHeader(headers, name);
  return {
    ...message,
    headers: at === -1 ? [...headers, name, value] : headers.with(at + 1, value),
  };
}

/** Leaves out every field of that name. */
export function withoutHeader<Message extends WithHeaders>(message: Message, name: string) {
  const unwanted = name.toLowerCase();
  const { headers } = message;
  return {
    ...message,
    headers: headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== unwanted),
  };
}

/** Rewrites the value of the first field of that name, if there is one. */
export function rewriteHeader<Message extends WithHeaders>(
  message: Message,
  name: string,
  write: (value: string) => string,
) {
  const value = headerOf(message, name);
  return value === undefined ? message : withHeader(message, name, write(value));
}

function indexOfHeader(headers: readonly string[], name: string): number {
  const wanted = name.toLowerCase();
  return headers.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === wanted);
}
