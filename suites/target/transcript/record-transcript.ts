import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../contract/json/index.ts';
import type { Exchange, KnownSecret, ServerClock } from '../../oracle/index.ts';
import {
  ignoreHistory,
  noteSecret,
  presentedCredential,
  type SentEvent,
  type TargetHistory,
  type ToldEvent,
} from '../history.ts';
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
    /** The whole transcript, whose first and last lines are these; without the last one it tells no end. */
    finish: (first: JsonObject, last?: JsonObject): Promise<Buffer> => {
      if (last !== undefined) {
        recording.write(last);
      }
      return recording.finish(first);
    },
  };
}

/** What is recorded of all histories of a run. */
type Recording = ReturnType<typeof openRecording>;

function openRecording() {
  const pseudonyms = drawPseudonyms();
  const { hide, hideToken, redact } = createRedactor();
  // A key that is spelled in a way that no stand-in can follow has its label in its place.
  const replace = (text: string): string => redact(pseudonyms.replace(text));
  let numbers = 0;
  let histories = 0;
  return {
    ...openLineFile(),
    /** The key is hidden from now on, and something stands for it. */
    learn: (secret: string, label: string): void => {
      hide(secret, label);
      pseudonyms.learn(secret);
    },
    standInOf: pseudonyms.learn,
    replace,
    /** The same for an Authorization field; what it makes of a key is hidden in whatever answers it. */
    replaceSent: (field: string): string => {
      const replaced = replace(field);
      if (replaced !== field) {
        hideToken(field);
      }
      return replaced;
    },
    hide: redact,
    /** The number of the next request or replacement. */
    nextNumber: () => (numbers += 1),
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
  const lineOf = linesOf(recording);
  return {
    ...inner,
    another: () => recordingHistory(inner.another(), recording),
    beginRecord: () => recordingHistory(ignoreHistory(), recording),
    tell: (event) => {
      const line = lineOf(event);
      if (line !== null) {
        recording.write(line);
      }
      return inner.tell(event);
    },
  };
}

/** Writes down what one history is told: a line for each event, unless it says nothing. */
function linesOf(recording: Recording): (event: ToldEvent) => JsonObject | null {
  const { hide, nextNumber } = recording;
  const history = recording.nextHistory();
  const secrets = knowSecrets(recording);
  // By the moment at which it began.
  const replacements = new Map<number, number>();
  const requests = new Map<number, number>();
  const numberOf = (id: number): number => requests.get(id) ?? 0;
  return (event) => {
    secrets.note(event);
    switch (event.type) {
      case 'key-known': {
        const { label, secret, plan, limits, issued, usedToday } = event.key;
        const { perMinute = null, perDay = null } = limits ?? {};
        const line = { key: label, plan, perMinute, perDay, issued, usedToday };
        const pseudonym = secrets.standInOf(secret);
        return { do: 'key', history, ...line, pseudonym, issuedAt: event.knownAt ?? null };
      }
      case 'key-revoked-before':
        return { do: 'revoked before', history, pseudonym: secrets.standInOf(event.secret) };
      case 'key-revocation-begun': {
        const key = secrets.labelOf(event.secret);
        return key === null ? null : { do: 'revoke', history, key, from: event.at };
      }
      case 'key-revoked': {
        const key = secrets.labelOf(event.secret);
        const { from, at } = event;
        return key === null ? null : { do: 'revoked', history, key, from, at };
      }
      case 'inventory-replacement-begun': {
        const number = nextNumber();
        replacements.set(event.at, number);
        return { do: 'replace', history, number, from: event.at };
      }
      case 'inventory-replaced': {
        const { from, at } = event;
        const items = event.items?.map(({ petId, quantity, status }) => [`${petId}`, quantity, status]);
        return { do: 'replaced', history, number: replacements.get(from) ?? 0, items: items ?? null, at };
      }
      case 'pets-ours':
        return { do: 'claim', history, pets: [...event.petIds].map(String), at: event.at };
      case 'pets-named':
        return { do: 'name', history, pets: [...event.petIds].map(String) };
      case 'gap':
        return { do: 'miss', history, at: event.at };
      case 'request-sent': {
        const number = nextNumber();
        requests.set(event.id, number);
        return { do: 'send', history, number, at: event.at, ...secrets.messageLine(event) };
      }
      case 'response-received': {
        const { id, exchange } = event;
        const number = numberOf(id);
        // Of one that was sent again it may be told what that shows of its connection.
        if (exchange.lostResponses === 0) {
          requests.delete(id);
        }
        return {
          do: 'receive',
          number,
          ...endLine(exchange),
          ...responseLine(keptResponse(exchange), hide),
        };
      }
      case 'response-lost':
        return { do: 'lose', number: numberOf(event.id), at: event.at };
      case 'request-unanswered': {
        const { id, at, words, since } = event;
        return { do: 'unanswered', number: numberOf(id), at, words: hide(words), since };
      }
      case 'connection-spoilt': {
        const { id, before, stray = null, times } = event;
        const shown = { ...before, words: hide(before.words) };
        return { do: 'spoilt', number: numberOf(id), before: shown, stray, times };
      }
    }
  };
}

/** The secrets that one history was told of, and what stands for them. */
function knowSecrets({ learn, replace, replaceSent, hide, standInOf }: Recording) {
  const secrets = new Map<string, KnownSecret>();
  const standIns = new Map<string, KnownSecret>();
  return {
    note: (event: ToldEvent): void => {
      if (event.type === 'key-known') {
        learn(event.key.secret, event.key.label);
      } else if (event.type === 'key-revoked-before') {
        learn(event.secret, '[revoked key]');
      }
      noteSecret(event, secrets);
      noteSecret(event, standIns, standInOf);
    },
    standInOf,
    labelOf: (secret: string): string | null => secrets.get(secret)?.label ?? null,
    /** A request without keys; `credential` is `null` if the stand-ins show what it presented. */
    messageLine: ({ request, authorization, spender }: SentEvent): JsonObject => {
      const { operation, method, path, headers, body, inParts, isHttp10 } = request;
      const shown = {
        ...request,
        path: replace(path),
        headers: headers.map(([name, value]) => [name, replace(value)] as const),
      };
      const presented = authorization.map(replaceSent);
      const credential = presentedCredential(request, authorization, secrets);
      const isTold = isDeepStrictEqual(credential, presentedCredential(shown, presented, standIns));
      return {
        operation,
        method,
        path: shown.path,
        authorization: presented,
        headers: shown.headers,
        body: bodyLine(body, hide),
        inParts: inParts === true,
        http10: isHttp10 === true,
        spender: spender?.label ?? null,
        credential: isTold ? null : credential,
      };
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
