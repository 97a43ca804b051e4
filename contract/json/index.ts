export { findJsonExcess, mayExceed } from './json-limits.ts';
export {
  booleanMember,
  countMember,
  listMember,
  numberMember,
  objectMember,
  onlyMembers,
  orNull,
  stringMember,
  stringsMember,
  wordMember,
} from './json-members.ts';
export {
  type ExactInteger,
  INT64_MAX,
  INT64_MIN,
  type JsonObject,
  type JsonValue,
  asInteger,
  isInt64,
  isJsonObject,
  parseIfJson,
  parseJson,
  stringifyJson,
} from './lossless-json.ts';
