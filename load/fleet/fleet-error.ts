import { InconclusiveError } from '../../contract/inconclusive-error.ts';

/** A fleet that can't be had: nobody there, another run in it, or no Redis. The message names the option. */
export class FleetError extends InconclusiveError {
  override readonly name = 'FleetError';
}
