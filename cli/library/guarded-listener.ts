/** Receives what happens while it happens. What it throws ends nothing here; it surfaces as an uncaught exception. */
export type OnEvent<Event> = (event: Event) => void;

/** A listener that no error of its own can make part of what it listens to. */
export function guardedListener<Event>(onEvent: OnEvent<Event> | undefined): OnEvent<Event> {
  return (event) => {
    try {
      onEvent?.(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
