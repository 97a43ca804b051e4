import type { Fault } from '../faults/fault.ts';
import { FAILURE_LOAD_FAULTS } from './failures.ts';
import { HEADER_LOAD_FAULTS } from './headers.ts';
import { KEY_LOAD_FAULTS } from './keys.ts';
import { LIMIT_LOAD_FAULTS } from './limits.ts';
import { UPDATE_LOAD_FAULTS } from './updates.ts';

/**
 * Violations that show only under load, one each: while more requests of one key are under way, or of more keys, than
 * the ordinary checks send. With fewer, the server answers as it should, only later.
 */
export const LOAD_FAULTS: readonly Fault[] = [
  ...FAILURE_LOAD_FAULTS,
  ...HEADER_LOAD_FAULTS,
  ...KEY_LOAD_FAULTS,
  ...LIMIT_LOAD_FAULTS,
  ...UPDATE_LOAD_FAULTS,
];
