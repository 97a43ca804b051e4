import type { RequestMessage } from '../../oracle/index.ts';
import type { CheckContext, RequestForm } from '../check-context.ts';

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

/** Why spellings could not be tried, or `null`. */
export function whyNoForms({ forms }: CheckContext): string | null {
  return 'unknown' in forms
    ? `Which other spellings the target accepts is not known. ${forms.unknown}`
    : null;
}
