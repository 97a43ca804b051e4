/** Values by whole numbers that come in rising order and go soon. */
export interface ById<Value extends { readonly id: number }> {
  readonly get: (id: number) => Value | undefined;
  readonly set: (value: Value) => void;
  readonly delete: (id: number) => void;
}

const PLACES = 1_024;

/** Each number has one place; a value whose place is taken stands in a map, which is slower. */
export function keepById<Value extends { readonly id: number }>(): ById<Value> {
  const places = Array.from({ length: PLACES }, (): Value | undefined => undefined);
  const others = new Map<number, Value>();
  const placed = (id: number): Value | undefined => {
    const value = places[id % PLACES];
    return value?.id === id ? value : undefined;
  };
  return {
    get: (id) => placed(id) ?? (others.size === 0 ? undefined : others.get(id)),
    set: (value) => {
      const { id } = value;
      const place = id % PLACES;
      const there = places[place];
      if (there === undefined || there.id === id) {
        places[place] = value;
      } else {
        others.set(id, value);
      }
    },
    delete: (id) => {
      if (placed(id) === undefined) {
        others.delete(id);
      } else {
        places[id % PLACES] = undefined;
      }
    },
  };
}
