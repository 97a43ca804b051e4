import { seedInventory } from '../../../fixtures/corpora/index.ts';
import {
  A_LIMIT,
  A_REFUSAL,
  limitedFor,
  refusedWith,
  scenarioGroup,
  type ClientScenario,
} from './scenario.ts';

const quantity = { operation: 'updateInventory', quantity: 37 } as const;

/** A client that does not find Retry-After waits as it does by itself: often a second or two. */
const BEYOND_FALLBACK_SECONDS = 6;

const LIMITED_BEYOND_FALLBACK = {
  answers: [limitedFor(BEYOND_FALLBACK_SECONDS)],
  shows: A_LIMIT,
  seconds: BEYOND_FALLBACK_SECONDS,
};

/** A client may try again as it likes, and has to report an error in the end. */
const NO_ANSWER = [
  'client-sends-bearer',
  'client-completes',
  'client-reports-no-answer',
  'client-reports-error',
] as const;
const CLOSED = { traits: ['answers-nothing'], judges: [...NO_ANSWER, 'client-reports-result'] } as const;

const RARE_FORM = { answers: [limitedFor(2)], judges: ['client-reads-rare-http'], seconds: 2 } as const;

const { list, update } = scenarioGroup({
  inventory: seedInventory({ size: 12, seed: 5 }),
  update: { ...quantity, petId: 2n ** 53n + 1n },
  shows: ['client-reports-result'],
});

/** What HTTP and JSON leave to the service, and what must not change the result. */
export const HTTP_LIBERTIES: readonly ClientScenario[] = [
  list('further-members', 'A list whose items have members that the client does not know', {
    traits: ['extra-members'],
  }),
  update('further-members-update', 'An updated item with members that the client does not know', {
    traits: ['extra-members'],
  }),
  list(
    'spelled-otherwise',
    'A list in JSON that is indented, with escaped letters and white space after it',
    {
      traits: ['json-spelled-otherwise'],
    },
  ),
  update('spelled-otherwise-refusal', 'An Error object that is indented, with escapes in and beyond ASCII', {
    // Bounds are not shown, so that a service may refuse it.
    task: { ...quantity, petId: 2n ** 53n + 1n, quantity: 5_000 },
    traits: ['json-spelled-otherwise'],
    script: () => refusedWith('quantity_not_taken', 'Größe „5“ führt das Café nicht: 猫 🐈.'),
    shows: A_REFUSAL,
  }),
  list('further-headers', 'Headers that the client does not know, some of them twice or empty', {
    traits: ['extra-headers'],
  }),
  list('lower-case-headers', 'Header names in small letters, Retry-After among them', {
    ...LIMITED_BEYOND_FALLBACK,
    traits: ['lower-case-header-names'],
  }),
  list('upper-case-headers', 'Header names in capital letters, Retry-After among them', {
    ...LIMITED_BEYOND_FALLBACK,
    traits: ['upper-case-header-names'],
  }),
  list('chunked', 'A list without Content-Length, in several chunks; header names in small letters', {
    traits: ['lower-case-header-names', 'chunked'],
  }),
  list('charset', 'A Content-Type in mixed letter-case, with a charset parameter', { traits: ['charset'] }),
  ...(['gzip', 'deflate', 'br', 'zstd'] as const).map((coding) =>
    list(coding, `A list in the content coding ${coding}, if the client asks for it`, { traits: [coding] }),
  ),
  update('gzip-update', 'An updated item in the content coding gzip, if the client asks for it', {
    traits: ['gzip'],
  }),
  update('gzip-refusal', 'An Error object in the content coding gzip, if the client asks for it', {
    task: { ...quantity, petId: 404_404_404n },
    traits: ['gzip'],
    shows: A_REFUSAL,
  }),
  list('closed-connection', 'A connection that the server closes while the client waits', {
    traits: ['closes-connections'],
    answers: [limitedFor(1)],
    // Whether a client connects again is its own affair, and so is the error of one that does not.
    shows: A_LIMIT.filter((id) => id !== 'client-reports-error'),
  }),
  list('unanswered', 'A connection that closes in place of an answer, each time', CLOSED),
  update('unanswered-update', 'Update: a connection that closes in place of an answer, each time', CLOSED),
  list('broken-off', 'A list that breaks off before the length that it announces, each time', {
    traits: ['breaks-off'],
    judges: NO_ANSWER,
  }),
  list('slow-list', 'A list that takes its time', { traits: ['slow'], seconds: 3 }),
  update('slow-update', 'An update that takes its time', { traits: ['slow'], seconds: 3 }),
  list('informational-responses', 'Responses 100 and 103 before each answer (RFC 9110, section 15.2)', {
    ...RARE_FORM,
    traits: ['informational-responses'],
  }),
  list(
    'gzip-in-capitals',
    'Contents in the coding GZIP, if the client asks for gzip (RFC 9110, section 8.4.1)',
    {
      ...RARE_FORM,
      traits: ['gzip-in-capitals'],
    },
  ),
  list('white-space-around-values', 'Tabs and spaces around header values (RFC 9112, section 5)', {
    ...RARE_FORM,
    traits: ['white-space-around-values'],
  }),
  list('chunk-extensions', 'Chunks with extensions and a trailer (RFC 9112, section 7.1)', {
    ...RARE_FORM,
    traits: ['chunk-extensions-and-trailer'],
  }),
  list('cut-within-line-ends', 'Packets that end between CR and LF (RFC 9112, section 2.2)', {
    ...RARE_FORM,
    traits: ['cut-within-line-ends'],
  }),
  list(
    'ends-with-connection',
    'Contents without a length, which end with their connection (RFC 9112, section 6.3)',
    {
      ...RARE_FORM,
      traits: ['ends-with-connection'],
    },
  ),
];

const silence = scenarioGroup({ inventory: seedInventory({ size: 12, seed: 6 }), shows: [] });

/** Of what the text is silent about; what a client does there is only observed. */
export const SILENCES: readonly ClientScenario[] = [
  silence.list('nothing-remains', 'A list whose answer says that no request remains', {
    traits: ['nothing-remains'],
    shows: ['client-reports-result', 'client-paces-itself'],
  }),
  silence.list('redirect-to-another-host', 'A redirect to another host', {
    script: () => ({ kind: 'redirected', status: 307 }),
    breaks: ['list-succeeds'],
    judges: ['client-reports-result', 'client-keeps-key-from-others'],
  }),
  silence.list('limited-unreadable', 'A 429 whose Retry-After cannot be read', {
    answers: [limitedFor(1, 'unreadable')],
    breaks: ['retry-after-valid'],
    judges: ['client-operation', 'client-sends-bearer', 'client-unreadable-retry-after'],
  }),
];
