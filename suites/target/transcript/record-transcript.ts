import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../contract/json/index.ts';
import type { Exchange, KnownSecret, RequestMessage, ServerClock } from '../../oracle/index.ts';
import { ignoreHistory, presentedCredential, type TargetHistory, type ToldRequest } from '../history.ts';
import { createRedactor } from '../redaction/redaction.ts';
import { bodyLine, responseLine } from './read-lines.ts';
import { openLineFile } from './line-file.ts';
import { drawPseudonyms } from './pseudonyms.ts';

export type TranscriptRecorder = ReturnType<typeof recordTranscript>;

/** Keeps all that the oracle of a run is told, without any key, so that it can be judged again. */
export function recordTranscript() {
  const recording = openRecording();
  return {
    /** The clock, with what it learns kept. */
    clock: (clock: ServerClock): ServerClock => recordingClock(clock, recording),
    /** The history, with what it is told kept, and so for each that it begins. */
    history: (history: TargetHistory): TargetHistory => recordingHistory(history, recording),
    /** The whole transcript, whose first line is this one. */
    finish: recording.finish,
  };
}

/** What is recorded of all histories of a run. */
type Recording = ReturnType<typeof openRecording>;

function openRecording() {
  const pseudonyms = drawPseudonyms();
  const { hide, redact } = createRedactor();
  let requests = 0;
  let histories = 0;
  return {
    ...openLineFile(),
    /** What stands for a key, which is hidden from now on. */
    learn: (secret: string, label: string): string => {
      hide(secret, label);
      return pseudonyms.learn(secret);
    },
    // A key that is spelled in a way that no stand-in can follow has its label in its place.
    replace: (text: string): string => redact(pseudonyms.replace(text)),
    hide: redact,
    nextRequest: () => (requests += 1),
    nextHistory: () => (histories += 1),
  };
}

function recordingClock(clock: ServerClock, { write }: Recording): ServerClock {
  return {
    get source() {
      return clock.source;
    },
    spanOf: (exchange) => clock.spanOf(exchange),
    at: (milliseconds) => clock.at(milliseconds),
    isDateRight: (exchange) => clock.isDateRight(exchange),
    learnFromExchange: (exchange) => clock.learnFromExchange(exchange),
    learnFromControl: (span, at, drift = { gains: 0, loses: 0 }) => {
      const { earliest, latest } = span;
      const { gains, loses } = drift;
      write({ do: 'clock', now: earliest, from: at - (latest - earliest) * 1000, at, gains, loses });
      clock.learnFromControl(span, at, drift);
    },
  };
}

function recordingHistory(inner: TargetHistory, recording: Recording): TargetHistory {
  const { write, hide, nextRequest } = recording;
  const history = recording.nextHistory();
  const { know, labelOf, hideKeys } = knowSecrets(recording);
  const numberOf = new WeakMap<Exchange, number>();
  return {
    another: () => recordingHistory(inner.another(), recording),
    beginRecord: () => recordingHistory(ignoreHistory(), recording),
    mayBeBanned: inner.mayBeBanned,
    mayOtherBeBanned: inner.mayOtherBeBanned,
    mostEndured: inner.mostEndured,
    strangeChanges: inner.strangeChanges,
    learnKey: (key, knownAt) => {
      const { label, secret, plan, limits, issued, usedToday } = key;
      const pseudonym = know(secret, { label, state: 'valid' });
      const { perMinute = null, perDay = null } = limits ?? {};
      const line = { key: label, plan, perMinute, perDay, issued, usedToday, pseudonym };
      write({ do: 'key', history, ...line, issuedAt: knownAt ?? null });
      inner.learnKey(key, knownAt);
    },
    learnRevoked: (secret) => {
      write({ do: 'revoked before', history, pseudonym: know(secret, { label: '', state: 'revoked' }) });
      inner.learnRevoked(secret);
    },
    revokingKey: (secret, from) => {
      const label = labelOf(secret);
      const revoked = inner.revokingKey(secret, from);
      if (label === undefined) {
        return revoked;
      }
      know(secret, { label, state: 'doubtful' });
      write({ do: 'revoke', history, key: label, from });
      return (at) => {
        know(secret, { label, state: 'revoked' });
        write({ do: 'revoked', history, key: label, from, at });
        revoked(at);
      };
    },
    replacingInventory: (from) => {
      const replaced = inner.replacingInventory(from);
      const number = nextRequest();
      write({ do: 'replace', history, number, from });
      return (items, at) => {
        const told = items?.map(({ petId, quantity, status }) => [`${petId}`, quantity, status]) ?? null;
        write({ do: 'replaced', history, number, items: told, at });
        replaced(items, at);
      };
    },
    claimPets: (petIds, at) => {
      write({ do: 'claim', history, pets: [...petIds].map(String), at });
      inner.claimPets(petIds, at);
    },
    namePets: (petIds) => {
      write({ do: 'name', history, pets: [...petIds].map(String) });
      inner.namePets(petIds);
    },
    connectionSpoilt: (found) => {
      const { before, stray = null, times, exchange } = found;
      const number = numberOf.get(exchange) ?? 0;
      write({ do: 'spoilt', number, before: { ...before, words: hide(before.words) }, stray, times });
      return inner.connectionSpoilt(found);
    },
    missed: (at) => {
      write({ do: 'miss', history, at });
      inner.missed(at);
    },
    requestSent: (request, authorization, at, spender = null) => {
      const number = nextRequest();
      const shown = hideKeys(request, authorization);
      const line = messageLine(shown.request, shown.authorization, hide);
      write({ do: 'send', history, number, at, ...line, spender, credential: shown.credential });
      const told = inner.requestSent(request, authorization, at, spender);
      return recordingEnd(told, number, (exchange) => numberOf.set(exchange, number), recording);
    },
  };
}

/** The secrets that one history was told of, and what stands for them. */
function knowSecrets({ learn, replace }: Recording) {
  const secrets = new Map<string, KnownSecret>();
  const standIns = new Map<string, KnownSecret>();
  return {
    /** @returns what stands for the secret from now on */
    know: (secret: string, known: KnownSecret): string => {
      const pseudonym = learn(secret, known.label === '' ? '[revoked key]' : known.label);
      secrets.set(secret, known);
      standIns.set(pseudonym, known);
      return pseudonym;
    },
    labelOf: (secret: string): string | undefined => secrets.get(secret)?.label,
    /** A request without keys; `credential` is `null` if the stand-ins show what it presented. */
    hideKeys: (request: RequestMessage, authorization: readonly string[]) => {
      const shown = {
        request: {
          ...request,
          path: replace(request.path),
          headers: request.headers.map(([name, value]) => [name, replace(value)] as const),
        },
        authorization: authorization.map(replace),
      };
      const credential = presentedCredential(request, authorization, secrets);
      const isTold = isDeepStrictEqual(
        credential,
        presentedCredential(shown.request, shown.authorization, standIns),
      );
      return { ...shown, credential: isTold ? null : credential };
    },
  };
}

function recordingEnd(
  told: ToldRequest,
  number: number,
  note: (exchange: Exchange) => void,
  { write, hide }: Recording,
): ToldRequest {
  return {
    received: (exchange) => {
      note(exchange);
      write({ do: 'receive', number, ...endLine(exchange), ...responseLine(keptResponse(exchange), hide) });
      return told.received(exchange);
    },
    lost: (at) => {
      write({ do: 'lose', number, at });
      told.lost(at);
    },
    unanswered: (found) => {
      const { at, words, since } = found;
      write({ do: 'unanswered', number, at, words: hide(words), since });
      return told.unanswered(found);
    },
  };
}

function endLine(exchange: Exchange): JsonObject {
  return {
    at: exchange.receivedAt,
    key: exchange.key,
    lost: exchange.lostResponses,
    connection: exchange.response.connection ?? null,
    milliseconds: exchange.durationMilliseconds,
    startedAt: exchange.startedAt.toISOString(),
  };
}

/** Of a long list only what it held is known, so that its bytes cannot be judged again. */
function keptResponse({ response }: Exchange) {
  const { status, headers, body, longList, isBodyOmitted } = response;
  return { status, headers, body: longList === undefined && isBodyOmitted !== true ? body : null };
}

function messageLine(
  request: RequestMessage,
  authorization: readonly string[],
  hide: (text: string) => string,
): JsonObject {
  return {
    operation: request.operation,
    method: request.method,
    path: request.path,
    authorization,
    headers: request.headers,
    body: bodyLine(request.body, hide),
    inParts: request.bodyInParts === true,
  };
}
