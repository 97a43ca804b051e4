import { hostname } from 'node:os';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { parseRedisUrl } from '../shared/options/redis-url.ts';

/** What `stockcheck worker` was asked for, validated. */
export interface WorkerOptions {
  readonly redis: string;
  /** No other worker of the fleet has it. */
  readonly name: string;
  /** Hosts, besides this machine, that it may send requests to. */
  readonly allowedTargets: readonly string[];
}

/** The options of `worker` as the parser of the command line returns them. */
export interface WorkerFlags {
  readonly redis?: string;
  readonly name?: string;
  readonly allowTarget?: readonly string[];
}

/** @throws {ConfigurationError} that names the option */
export function readWorkerOptions({ redis, name, allowTarget = [] }: WorkerFlags): WorkerOptions {
  if (redis === undefined) {
    throw new ConfigurationError('worker needs --redis redis://HOST:PORT');
  }
  if (name !== undefined && !/^[\w.-]{1,60}$/.test(name)) {
    throw new ConfigurationError('--name takes up to 60 letters, digits, dots, hyphens and underscores');
  }
  return {
    redis: parseRedisUrl('--redis', redis),
    name: name ?? `${hostname()}-${process.pid}`,
    allowedTargets: allowTarget.map(readHost),
  };
}

function readHost(text: string): string {
  const { hostname } = URL.parse(`http://${text}`) ?? {};
  if (hostname !== text.toLowerCase() || hostname.includes('*')) {
    throw new ConfigurationError(
      `--allow-target ${text} is not a host; give its name or address alone, such as staging.example`,
    );
  }
  return hostname;
}
