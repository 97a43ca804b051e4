import { request as beginRequest, type IncomingMessage } from 'node:http';

import type { Alteration } from '../../../reference-server/index.ts';
import type { ClientScenario, ClientTask } from '../../../suites/certify/index.ts';
import { startCounterparty } from './counterparty.ts';

/** Enough to meet what a script answers first, and the service's own answer after it. */
const PROBES = 3;

/** Fields that depend on the moment, or on a port that happens to be free. */
const FLEETING = /^(?:date|retry-after|x-ratelimit-reset|location)$/i;

/** Tells whether a choice of the service changes what a client is answered in a scenario. */
export function openScenarioProbe(host: string): {
  readonly isTouched: (scenario: ClientScenario, choice: Alteration) => Promise<boolean>;
} {
  const usual = new Map<ClientScenario, Promise<string>>();
  return {
    isTouched: async (scenario, choice) => {
      const answers = usual.get(scenario) ?? probe(scenario, host, []);
      usual.set(scenario, answers);
      return (await probe(scenario, host, [choice])) !== (await answers);
    },
  };
}

/** What the counterparty answers to the first requests of a scenario, without what depends on the moment. */
async function probe(
  scenario: ClientScenario,
  host: string,
  choices: readonly Alteration[],
): Promise<string> {
  // Only the time of an answer is its own, and nobody waits for it here.
  const traits = scenario.traits?.filter((trait) => trait !== 'slow') ?? [];
  const counterparty = await startCounterparty({ ...scenario, traits }, host, choices);
  try {
    const answers: string[] = [];
    for (let turn = 0; turn < PROBES; turn += 1) {
      answers.push(await answerTo(counterparty, scenario.task));
    }
    return answers.join('\n\n');
  } finally {
    await counterparty.close();
  }
}

function answerTo(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  task: ClientTask,
): Promise<string> {
  const isList = task.operation === 'listInventory';
  const body = isList ? '' : `{"quantity":${task.quantity}}`;
  return new Promise((resolve, reject) => {
    const sent = beginRequest(
      `${baseUrl}/inventory${isList ? '' : `/${task.petId}`}`,
      {
        method: isList ? 'GET' : 'PATCH',
        agent: false,
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Accept-Encoding': 'gzip',
          ...(isList
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(textOf(response, Buffer.concat(chunks))));
        response.on('error', reject);
      },
    );
    // A service that drops the connection answers that.
    sent.on('error', ({ message }) => resolve(message));
    sent.end(body);
  });
}

function textOf({ statusCode = 0, rawHeaders }: IncomingMessage, body: Buffer): string {
  const lines = rawHeaders.flatMap((name, index) => {
    const value = rawHeaders[index + 1] ?? '';
    return index % 2 === 0 ? [`${name}: ${FLEETING.test(name) ? value.replaceAll(/\w/g, '0') : value}`] : [];
  });
  return [String(statusCode), ...lines, body.toString('latin1')].join('\n');
}
