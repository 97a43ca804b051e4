/** Changes a value at once, or a promised one when it comes. */
export function changeLater<From, To>(
  value: From | Promise<From>,
  change: (value: From) => To,
): To | Promise<To> {
  return value instanceof Promise ? value.then(change) : change(value);
}
