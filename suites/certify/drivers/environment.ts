import type { ClientOrder } from './driver.ts';

/** How a client is started. */
export interface ClientCommand {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Where it runs; the current directory if absent. */
  readonly directory?: string;
}

/**
 * Of all clients, so that one is judged alike on each machine. East of Greenwich, so that a date in GMT that is read as
 * one in local time has passed already. A system that does not know the zone takes it for UTC.
 */
export const CLIENT_TIME_ZONE = 'Asia/Tokyo';

/** The environment without any order and with a time zone, whatever that of the parent process holds. */
export function withoutOrder(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...environment,
    TZ: CLIENT_TIME_ZONE,
    STOCKCHECK_BASE_URL: undefined,
    STOCKCHECK_API_KEY: undefined,
    STOCKCHECK_OPERATION: undefined,
    STOCKCHECK_PET_ID: undefined,
    STOCKCHECK_QUANTITY: undefined,
  };
}

/** The environment with an order, as the driver contract names its variables. */
export function withOrder(
  environment: NodeJS.ProcessEnv,
  { baseUrl, apiKey, task }: ClientOrder,
): NodeJS.ProcessEnv {
  return {
    ...withoutOrder(environment),
    STOCKCHECK_BASE_URL: baseUrl,
    STOCKCHECK_API_KEY: apiKey,
    STOCKCHECK_OPERATION: task.operation,
    ...(task.operation === 'updateInventory'
      ? { STOCKCHECK_PET_ID: String(task.petId), STOCKCHECK_QUANTITY: String(task.quantity) }
      : {}),
  };
}
