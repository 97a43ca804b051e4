import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { A_LIMIT, A_LIST, A_REFUSAL, AN_UPDATE } from './judged-by.ts';
import type { ClientTask, ClientScenario } from './scenario.ts';
import { answersFirst, limitedFor } from './scripts.ts';

const inventory = seedInventory({ size: 12, seed: 5 });
const list: ClientTask = { operation: 'listInventory' };
const update: ClientTask = { operation: 'updateInventory', petId: 2n ** 53n + 1n, quantity: 37 };

/** A client that does not find Retry-After waits as it does by itself: often a second or two. */
const BEYOND_FALLBACK_SECONDS = 6;

const listJudges = [...A_LIST, 'client-reports-result'] as const;
const updateJudges = [...AN_UPDATE, 'client-reports-result'] as const;
const limitJudges = [...A_LIST, ...A_LIMIT] as const;

/** What HTTP and JSON leave to the service, and what must not change the result. */
export const HTTP_LIBERTIES: readonly ClientScenario[] = [
  {
    id: 'further-members',
    title: 'A list whose items have members that the client does not know',
    task: list,
    inventory,
    traits: ['extra-members'],
    judges: listJudges,
    seconds: 1,
  },
  {
    id: 'further-members-update',
    title: 'An updated item with members that the client does not know',
    task: update,
    inventory,
    traits: ['extra-members'],
    judges: updateJudges,
    seconds: 1,
  },
  {
    id: 'further-headers',
    title: 'Headers that the client does not know, some of them twice or empty',
    task: list,
    inventory,
    traits: ['extra-headers'],
    judges: listJudges,
    seconds: 1,
  },
  {
    id: 'lower-case-headers',
    title: 'Header names in small letters, Retry-After among them',
    task: list,
    inventory,
    traits: ['lower-case-header-names'],
    script: answersFirst(limitedFor(BEYOND_FALLBACK_SECONDS)),
    judges: limitJudges,
    seconds: BEYOND_FALLBACK_SECONDS,
  },
  {
    id: 'upper-case-headers',
    title: 'Header names in capital letters, Retry-After among them',
    task: list,
    inventory,
    traits: ['upper-case-header-names'],
    script: answersFirst(limitedFor(BEYOND_FALLBACK_SECONDS)),
    judges: limitJudges,
    seconds: BEYOND_FALLBACK_SECONDS,
  },
  {
    id: 'chunked',
    title: 'A list without Content-Length, in chunks',
    task: list,
    inventory,
    traits: ['chunked'],
    judges: listJudges,
    seconds: 1,
  },
  {
    id: 'charset',
    title: 'A Content-Type with a charset parameter',
    task: list,
    inventory,
    traits: ['charset'],
    judges: listJudges,
    seconds: 1,
  },
  ...(['gzip', 'deflate', 'br', 'zstd'] as const).map((coding): ClientScenario => ({
    id: coding,
    title: `A list in the content coding ${coding}, if the client asks for it`,
    task: list,
    inventory,
    traits: [coding],
    judges: listJudges,
    seconds: 1,
  })),
  {
    id: 'gzip-update',
    title: 'An updated item in the content coding gzip, if the client asks for it',
    task: update,
    inventory,
    traits: ['gzip'],
    judges: updateJudges,
    seconds: 1,
  },
  {
    id: 'gzip-refusal',
    title: 'An Error object in the content coding gzip, if the client asks for it',
    task: { ...update, petId: 404_404_404n },
    inventory,
    traits: ['gzip'],
    judges: [...AN_UPDATE, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'closed-connection',
    title: 'A connection that the server closes while the client waits',
    task: list,
    inventory,
    traits: ['closes-connections'],
    script: answersFirst(limitedFor(1)),
    // Whether a client connects again is its own affair, and so is the error of one that does not.
    judges: limitJudges.filter((id) => id !== 'client-reports-error'),
    seconds: 1,
  },
  {
    id: 'slow-list',
    title: 'A list that takes its time',
    task: list,
    inventory,
    traits: ['slow'],
    judges: listJudges,
    seconds: 3,
  },
  {
    id: 'slow-update',
    title: 'An update that takes its time',
    task: update,
    inventory,
    traits: ['slow'],
    judges: updateJudges,
    seconds: 3,
  },
];
