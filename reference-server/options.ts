import type { InventoryItem } from '../contract/inventory.ts';
import type { SeedKey } from '../fixtures/corpora/index.ts';
import type { BanRule } from './service/bans.ts';
import type { WindowAlgorithm } from './service/window.ts';

/** What the reference server is started with, whatever alters it. */
export interface ServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, any free port. */
  readonly port?: number;
  /** `false` starts no control port; it is bound to 127.0.0.1 whatever `host` is. */
  readonly control?: boolean;
  /** Default 0, any free port. */
  readonly controlPort?: number;
  /** Entries at start; default `seedInventory()`. */
  readonly inventory?: readonly InventoryItem[];
  /** Keys at start; default `SEED_KEYS`. */
  readonly keys?: readonly SeedKey[];
  /** Default: a ban of 60 s after 10 refused requests that follow a 429, answered 429. */
  readonly ban?: Partial<BanRule> | false;
  /** How long `close` waits for requests in flight, in milliseconds; default 5,000. */
  readonly graceMilliseconds?: number;
  /** How long a connection stays open without a request, in milliseconds; default 65,000. */
  readonly keepAliveMilliseconds?: number;
  /** Path of the base address; default `/v1`. */
  readonly basePath?: string;
  /** How requests are counted from start or reset on; default in fixed windows that begin with a request. */
  readonly window?: () => WindowAlgorithm;
}
