import { FIELD_NAMES } from '../../../contract/field-names.ts';
import type { RequestMessage } from '../../oracle/index.ts';

/** The letters that every field name of a request is tried in. */
export const FIELD_NAME_SPELLINGS = [
  'small letters',
  'capitals',
] as const satisfies readonly (keyof typeof FIELD_NAMES)[];

/** The same request with the names of its fields in other letters, and Authorization with them. */
export function withFieldNames(message: RequestMessage, spelling: keyof typeof FIELD_NAMES): RequestMessage {
  const spell = FIELD_NAMES[spelling];
  return { ...message, headers: message.headers.map(([name, value]) => [spell(name), value]) };
}
