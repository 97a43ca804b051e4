import type { Fault } from '../faults/fault.ts';
import { LIMIT_LOAD_FAULTS } from './limits.ts';
import { UPDATE_LOAD_FAULTS } from './updates.ts';

/**
 * Violations that show only under load, one each: while more requests of one key are under way, or of more keys, than
 * the ordinary checks send. With fewer, the server answers as it should, only later.
 */
export const LOAD_FAULTS: readonly Fault[] = [...LIMIT_LOAD_FAULTS, ...UPDATE_LOAD_FAULTS];
