import type { ServerOptions } from '../options.ts';
import { createHandlers } from '../service/handlers.ts';
import type { Service } from '../service/messages.ts';
import { createRefusals } from '../service/refusals.ts';
import { type Answers, type ServiceParts, createService } from '../service/service.ts';

/**
 * Changes the service from outside. Each step is called once for each server that starts, in this order, with what the
 * alterations before it have made; what it holds in a closure is the state of one server, and so is what is remembered
 * of an object that belongs to one server, such as a key or a connection (`stateOfEach`). The helpers beside this file
 * make alterations: of requests' authentication, of the limiter's decisions and windows, of the inventory, of updates, of
 * answers before they are rendered, and of whole responses.
 */
export interface Alteration {
  /** Replaces options of the start. */
  readonly options?: (options: ServerOptions) => ServerOptions;
  /** Replaces parts of the service; the control contract then acts on the replaced ones. */
  readonly parts?: (parts: ServiceParts) => Partial<ServiceParts>;
  /** Replaces answers of operations, or refusals. */
  readonly answers?: (answers: Answers, parts: ServiceParts) => Partial<Answers>;
  /** Wraps the composed service: whole requests and whole responses. */
  readonly service?: (service: Service, parts: ServiceParts) => Service;
}

/** A row of a table of alterations: what is different, in a sentence without a stop, what makes it so, and what else is known. */
export type Row<Further> = readonly [title: string, alter: Alteration, further?: Further];

export function alterOptions(options: ServerOptions, alterations: readonly Alteration[]): ServerOptions {
  return alterations.reduce((altered, { options: alter }) => alter?.(altered) ?? altered, options);
}

export function alterParts(parts: ServiceParts, alterations: readonly Alteration[]): ServiceParts {
  return alterations.reduce((altered, { parts: alter }) => replace(altered, alter?.(altered)), parts);
}

/** Composes the service of parts that were altered already. */
export function composeService(parts: ServiceParts, alterations: readonly Alteration[]): Service {
  const service = createService(parts, composeAnswers(parts, alterations));
  return alterService(service, parts, alterations);
}

/** The answers that such a service gives. */
export function composeAnswers(parts: ServiceParts, alterations: readonly Alteration[]): Answers {
  return alterAnswers({ ...createHandlers(parts), ...createRefusals(parts) }, parts, alterations);
}

/** Several alterations as one. */
export function combine(...alterations: readonly Alteration[]): Alteration {
  return {
    options: (options) => alterOptions(options, alterations),
    parts: (parts) => alterParts(parts, alterations),
    answers: (answers, parts) => alterAnswers(answers, parts, alterations),
    service: (service, parts) => alterService(service, parts, alterations),
  };
}

function alterAnswers(answers: Answers, parts: ServiceParts, alterations: readonly Alteration[]): Answers {
  return alterations.reduce(
    (altered, { answers: alter }) => replace(altered, alter?.(altered, parts)),
    answers,
  );
}

function alterService(service: Service, parts: ServiceParts, alterations: readonly Alteration[]): Service {
  return alterations.reduce((altered, { service: alter }) => alter?.(altered, parts) ?? altered, service);
}

function replace<Whole extends object>(whole: Whole, part: Partial<Whole> | undefined): Whole {
  return { ...whole, ...part };
}
