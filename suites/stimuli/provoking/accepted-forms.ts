import type { RequestMessage } from '../../oracle/index.ts';
import { listInventory, updateInventory, updateWithBody, withFields } from '../../target/index.ts';
import type { CheckConnections, CheckContext, RequestForm } from '../check-context.ts';

/** How many forms, other operations among them, there are at most. */
export const MOST_FORMS = 42;

/** The forms that the target accepted; none if they are not known. */
export function knownForms({ forms }: CheckContext): readonly RequestForm[] {
  return 'unknown' in forms ? [] : forms.result;
}

/** A request in each accepted form. */
export function inAcceptedForms(context: CheckContext): readonly RequestMessage[] {
  return knownForms(context).flatMap(({ build }) => build(context.pets[0]) ?? []);
}

/** A request that may escape a limit, and what it goes over. */
export interface TriedAtLimit {
  readonly message: RequestMessage;
  readonly over?: CheckConnections;
}

/** How many there are at most. */
export const MOST_TRIED = MOST_FORMS + 4;

/**
 * What is tried at a limit that is reached; the first and the last ones above all, as some keys begin with the first and others
 * with the last. A burst that mixed those over connections of their own would look as if these were the cause.
 */
export function triedAtLimit(context: CheckContext): readonly TriedAtLimit[] {
  const [pet] = context.pets;
  return [
    {
      message: pet === undefined ? listInventory() : updateInventory(pet.petId, pet.item.quantity),
      over: 'new',
    },
    ...inAcceptedForms(context).map((message) => ({ message })),
    ...(pet === undefined ? [] : [{ message: updateInventory(pet.petId, 0) }]),
    { message: withFields(listInventory(), [['Connection', 'close']]) },
    // It may be refused for its body as well.
    ...(pet === undefined ? [] : [{ message: updateWithBody(pet.petId, '{"quantity":') }]),
  ];
}

/** Why spellings could not be tried, or `null`. */
export function whyNoForms({ forms }: CheckContext): string | null {
  return 'unknown' in forms
    ? `Which other spellings the target accepts is not known. ${forms.unknown}`
    : null;
}
