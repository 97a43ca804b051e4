import type { Monitor } from '../monitor.ts';
import { contentType, errorBodies, inventoryItems } from './bodies.ts';
import { plainSense } from './plain-sense.ts';
import { headerPresence, headerValuesMonitor } from './rate-limit-headers.ts';
import { responseForm } from './response-form.ts';
import { goodManners, retryAfter, silences, validKeys } from './responses.ts';

/** Those that judge a response by its status and the fields of its limits. */
export const HEADER_MONITORS: readonly Monitor[] = [
  headerPresence,
  headerValuesMonitor,
  retryAfter,
  validKeys,
  goodManners,
];

/** All monitors; a new one is added here. */
export const MONITORS: readonly Monitor[] = [
  headerPresence,
  headerValuesMonitor,
  inventoryItems,
  errorBodies,
  contentType,
  validKeys,
  retryAfter,
  goodManners,
  plainSense,
  silences,
  responseForm,
];
