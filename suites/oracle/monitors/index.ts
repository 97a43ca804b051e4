import type { Monitor } from '../monitor.ts';
import { contentType, errorBodies, inventoryItems } from './bodies.ts';
import { plainSense } from './plain-sense.ts';
import { headerPresence, headerValuesMonitor } from './rate-limit-headers.ts';
import { responseForm } from './response-form.ts';
import { goodManners, retryAfter, silences, validKeys } from './responses.ts';

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
