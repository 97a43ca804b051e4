import { header, isAccepted, type Exchange, type RequestMessage } from './exchange.ts';
import type { Key } from './keys.ts';
import type { Lab } from './lab.ts';
import { listInventory } from './operations.ts';
import { judgeUnlessUnanswered } from './unanswered.ts';
import { secondsToWait } from './wire.ts';

// What is left of a wait when it took so long already that a slow machine spoiled it.
const LEAST_WAIT_SECONDS = 0.01;

/**
 * Waits for the Retry-After of a refusal and sends one request, which has to be accepted.
 * @returns that exchange, or `null` where the refusal does not say when to come back
 */
export async function comeBack(
  lab: Lab,
  key: Key,
  refusal: Exchange,
  message: RequestMessage = listInventory(),
): Promise<Exchange | null> {
  const seconds = secondsToWait(refusal, lab.clock);
  if (seconds === undefined) {
    return null;
  }
  const passed = (lab.now() - refusal.receivedAt) / 1000;
  await lab.sleep(
    Math.max(LEAST_WAIT_SECONDS, seconds - passed + LEAST_WAIT_SECONDS),
    `Retry-After of ${key.label}`,
  );
  const wasImpatient = key.usage.impatient > 0;
  const exchange = await lab.send(message, { key });
  const { status } = exchange.response;
  const { unanswered } = key.usage;
  judgeUnlessUnanswered(
    lab,
    unanswered,
    'retry-after-honoured',
    isAccepted(exchange),
    `${key.label} was told "Retry-After: ${header(refusal, 'Retry-After')}", came back after it had passed, and was answered ${status}${again(exchange)}.`,
    exchange,
  );
  if (!wasImpatient) {
    judgeUnlessUnanswered(
      lab,
      unanswered,
      'ban-only-after-continued',
      !isBanOfPatient(exchange),
      `${key.label} waited for Retry-After after its first 429, and was answered ${status}${again(exchange)} when it came back.`,
      exchange,
    );
  }
  return exchange;
}

function isBanOfPatient({ response }: Exchange): boolean {
  return response.status === 401 || response.status === 403;
}

function again(exchange: Exchange): string {
  const value = header(exchange, 'Retry-After');
  return value === undefined ? '' : ` with "Retry-After: ${value}"`;
}
