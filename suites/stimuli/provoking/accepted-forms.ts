import type { RequestMessage } from '../../oracle/index.ts';
import type { Pet } from '../../target/index.ts';
import type { CheckContext } from '../check-context.ts';

/** A form of request that a target may accept; `undefined` if it takes a pet. An update sets the pet's own quantity. */
export interface RequestForm {
  readonly name: string;
  /** Whether the whole list is answered. */
  readonly isList?: true;
  readonly build: (pet: Pet | undefined) => RequestMessage | undefined;
}

/**
 * Forms that the target accepted once: other operations, and other spellings of a path; or why they are not known, in a
 * sentence.
 */
export type AcceptedForms = { readonly result: readonly RequestForm[] } | { readonly unknown: string };

/** How many forms, other operations among them, a check tries that tries all. */
export const TRIED_FORMS = 26;

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
