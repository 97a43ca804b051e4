import { readKey } from '../service/authenticator.ts';
import type { BanRule } from '../service/bans.ts';
import type { MessageRefusal, Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import { createOccasion, occasions } from './occasion.ts';
import type { Effect, SharedState } from './shared-state.ts';
import { StateLostError, StoreUnavailableError } from './connection.ts';

export interface SharedServiceOptions {
  readonly state: SharedState;
  readonly ban: BanRule | false;
  readonly later: (effect: Effect) => void;
}

/**
 * Lets Redis decide on each request before the service answers it, and carry out what the answer says before it goes
 * out. If Redis cannot, the response is a 503.
 */
export function shareService(service: Service, options: SharedServiceOptions): Service {
  return {
    ...service,
    respond: (request) =>
      respondOrRefuse(service, () => respondOnOccasion(service, request, readKey(request) ?? '', options)),
  };
}

/** The same for the control contract. A reset also ends the state of having lost something. */
export function shareControl(control: Service, options: SharedServiceOptions): Service {
  return {
    ...control,
    respond: (request) =>
      respondOrRefuse(control, async () => {
        try {
          return await respondOnOccasion(control, request, '', options);
        } catch (error) {
          if (!(error instanceof StateLostError && isReset(request))) {
            throw error;
          }
          await options.state.recover();
          return respondOnOccasion(control, request, '', options);
        }
      }),
  };
}

async function respondOnOccasion(
  service: Service,
  request: ServiceRequest,
  key: string,
  { state, ban, later }: SharedServiceOptions,
): Promise<ServiceResponse> {
  const { replica } = state;
  const digest = key === '' ? '' : replica.keys.digestOf(key);
  const verdict = await state.decide(digest);
  const occasion = createOccasion({ key, digest, verdict, replica, ban, later });
  const answering = occasions.run(occasion, () => service.respond(request));
  occasion.letTimeFlow();
  const response = await answering;
  const effects = occasion.end();
  if (effects.length > 0) {
    await state.apply(effects);
  }
  return response;
}

async function respondOrRefuse(
  service: Service,
  respond: () => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  try {
    return await respond();
  } catch (error) {
    return service.refuse(refusalOf(error));
  }
}

const RETRY_AFTER = ['Retry-After', '1'] as const;

function refusalOf(error: unknown): MessageRefusal {
  if (error instanceof StateLostError) {
    return {
      status: 503,
      code: 'store_lost_state',
      message: 'The store has less than it had: the service waits for a reset.',
      headers: RETRY_AFTER,
    };
  }
  if (error instanceof StoreUnavailableError) {
    return {
      status: 503,
      code: 'store_unavailable',
      message: 'The store of the service does not answer. Try again in 1 s.',
      headers: RETRY_AFTER,
    };
  }
  throw error;
}

function isReset({ method, target }: ServiceRequest): boolean {
  return method === 'POST' && /^\/reset\/?(?:[?#]|$)/.test(target);
}
