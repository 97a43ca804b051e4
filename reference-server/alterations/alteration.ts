import { createHandlers } from '../service/handlers.ts';
import type { Service } from '../service/messages.ts';
import { createRefusals } from '../service/refusals.ts';
import { createService, type Answers, type ServiceParts } from '../service/service.ts';
import type { ServerOptions } from '../options.ts';

/**
 * Changes the service from outside. Each step is called once for each server that starts, in this order, and gets
 * what the alterations before it have made; what it holds in a closure is the state of one server.
 */
export interface Alteration {
  /** Replaces options; what is started with is given. */
  readonly options?: (options: ServerOptions) => ServerOptions;
  /** Replaces parts of the service; the control contract then acts on the replaced ones. */
  readonly parts?: (parts: ServiceParts) => Partial<ServiceParts>;
  /** Replaces answers of operations, or refusals. */
  readonly answers?: (answers: Answers, parts: ServiceParts) => Partial<Answers>;
  /** Wraps the composed service: whole requests and whole responses. */
  readonly service?: (service: Service, parts: ServiceParts) => Service;
}

export function alterOptions(options: ServerOptions, alterations: readonly Alteration[]): ServerOptions {
  return alterations.reduce((altered, { options: alter }) => alter?.(altered) ?? altered, options);
}

export function alterParts(parts: ServiceParts, alterations: readonly Alteration[]): ServiceParts {
  let altered = parts;
  for (const { parts: alter } of alterations) {
    altered = replace(altered, alter?.(altered));
  }
  return altered;
}

/** Composes the service of parts that were altered already. */
export function composeService(parts: ServiceParts, alterations: readonly Alteration[]): Service {
  let answers: Answers = { ...createHandlers(parts), ...createRefusals(parts) };
  for (const { answers: alter } of alterations) {
    answers = replace(answers, alter?.(answers, parts));
  }
  return alterations.reduce(
    (altered, { service: alter }) => alter?.(altered, parts) ?? altered,
    createService(parts, answers),
  );
}

function replace<Whole extends object>(whole: Whole, part: Partial<Whole> | undefined): Whole {
  return { ...whole, ...part };
}
