export type Path = readonly (string | number)[];

export interface Place {
  readonly path: Path;
  readonly value: unknown;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value itself and all that it holds, at any depth. */
export function placesIn(value: unknown, path: Path = []): readonly Place[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => placesIn(item, [...path, name]))
      : [];
  return [{ path, value }, ...inner];
}

/** A copy of the value with the change applied at the path. */
export function changeAt(
  value: unknown,
  [step, ...rest]: Path,
  change: (found: unknown) => unknown,
): unknown {
  if (step === undefined) {
    return change(value);
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, index) => (index === step ? changeAt(item, rest, change) : item));
  }
  return isObject(value) ? { ...value, [step]: changeAt(value[step], rest, change) } : value;
}
