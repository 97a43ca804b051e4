import { stringMember, type JsonObject } from '../../../contract/json/index.ts';
import { SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { Key } from '../../../suites/oracle/index.ts';
import { addressOf, judgeTranscript, readLineFile } from '../../../suites/target/index.ts';
import type { TrafficFindings } from '../../../suites/watch/index.ts';

/** A history of `verify` or `load`, judged again. */
export interface JudgedHistory {
  readonly findings: TrafficFindings;
  /** Base URL of the target. */
  readonly target: string;
  /** Each with its pseudonym in place of the secret. */
  readonly keys: readonly Key[];
}

/**
 * Judges a history of `verify` or `load` again: the oracle and the monitors are told what they were told then.
 * @param file as `--history` writes it, packed or not
 * @throws {SyntaxError} that says why it cannot be, and in which line
 */
export function judgeHistory(file: Buffer): JudgedHistory {
  const [header = {}, ...lines] = readLineFile(file);
  const { kind } = header;
  if (kind !== 'verify' && kind !== 'load') {
    throw new SyntaxError(
      `it is a history of stockcheck ${JSON.stringify(kind ?? null)}, and tells of no target`,
    );
  }
  const target = stringMember(header, 'subject');
  const { judgements, keys, requests } = judgeTranscript(
    lines,
    addressOf(target),
    // Load keeps no bodies, and only the limits are judged by all that it sends.
    kind === 'verify' ? 'all' : 'limits',
  );
  const count = (isCounted: (line: JsonObject) => boolean): number => lines.filter(isCounted).length;
  return {
    target,
    keys,
    findings: {
      judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
      observations: judgements.observations(),
      exchanges: requests,
      others: 0,
      withoutBody: count(({ body }) => JSON.stringify(body) === '{"omitted":true}'),
      unanswered: count((line) => line['do'] === 'lose'),
    },
  };
}
