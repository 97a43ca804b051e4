import { InconclusiveError } from '../../../contract/inconclusive-error.ts';

/**
 * An image that cannot be started, or whose container never gets ready: nothing was judged, exit code 3. The message
 * may have several lines, the last ones of the container's log among them.
 */
export class UnusableImage extends InconclusiveError {
  override name = 'UnusableImage';
}
