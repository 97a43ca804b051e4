import type { ClientOrder } from './driver.ts';

/** How a client is started. */
export interface ClientCommand {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Where it runs; the current directory if absent. */
  readonly directory?: string;
}

/** The environment without any order, whatever that of the parent process holds. */
export function withoutOrder(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...environment,
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
