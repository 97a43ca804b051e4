import { expect, onTestFinished, test } from 'vitest';

import { JOURNAL_ENTRY_LENGTH } from '../judging/key-journal.ts';
import { sampleKey, sampleRequest } from '../engine/engine.test-data.ts';
import { dividedLoadFor, measurementIn, SECRET, startCounter } from './divided-load.test-data.ts';
import { openLoadThreads, startEngineThread, type EngineThread, type LoadThreads } from './load-threads.ts';

function openThreads(start?: () => EngineThread): LoadThreads {
  const threads = openLoadThreads(start);
  onTestFinished(threads.close);
  return threads;
}

test('three threads send exactly what was scheduled, what they measured is added up, and what is judged is told to them', async () => {
  const { url, count } = await startCounter();
  const judged: number[] = [];
  const threads = openThreads(() => {
    const thread = startEngineThread();
    const tell = (bytes: number): void => {
      judged.push(bytes);
      thread.judged(bytes);
    };
    return { ...thread, judged: tell };
  });
  const seconds: number[] = [];
  const divided = dividedLoadFor(
    url,
    { rate: 100, seconds: 1 },
    { onSecond: ({ scheduled }) => seconds.push(scheduled) },
  );
  const run = await threads.generators(3).run(divided);
  expect(run.runs.map(({ recording }) => recording.scheduled)).toEqual([34, 33, 33]);
  const measured = measurementIn(run);
  expect(measured).toMatchObject({ scheduled: 100, sent: 100, statuses: { '200': 100 } });
  expect(measured.responseTime.count).toBe(100);
  expect([run.spent, count()]).toEqual([100, 100]);
  expect(run.notes).toEqual([expect.stringMatching(/^3 threads began within \d+\.\d+ ms of each other\.$/)]);
  expect(divided.client.judgements.judgementOf('header-limit')).toMatchObject({ outcome: 'pass' });
  // Of each request there is an entry when it leaves, and one when it is answered.
  const entry = JOURNAL_ENTRY_LENGTH * Float64Array.BYTES_PER_ELEMENT;
  expect(judged.reduce((sum, bytes) => sum + bytes, 0)).toBe(run.spent * 2 * entry);
});

test('a wrong Remaining that no thread sees by itself is found, and a budget is never exceeded', async () => {
  // Every fourth request is granted and not counted.
  const { url, count } = await startCounter((sent) => ({
    'X-RateLimit-Remaining': `${100_000 - Math.ceil((3 * sent) / 4)}`,
  }));
  const divided = dividedLoadFor(url, { rate: 200, seconds: 2 }, { budget: 51 });
  const run = await openThreads().generators(2).run(divided);
  expect([run.spent, count()]).toEqual([51, 51]);
  expect(run.runs.every(({ isCeilingReached }) => isCeilingReached)).toBe(true);
  const { outcome, findings } = divided.client.judgements.judgementOf('remaining-falls');
  expect(outcome).toBe('fail');
  expect(JSON.stringify(findings)).not.toContain(SECRET);
});

test('a thread that dies ends the load, and says which share is missing', async () => {
  const started: EngineThread[] = [];
  let sent = 0;
  const { url, count } = await startCounter((number) => {
    sent = number;
    if (number === 20) {
      void started[1]?.close();
    }
    return {};
  });
  const threads = openThreads(() => {
    const thread = startEngineThread();
    started.push(thread);
    return thread;
  });
  const generators = threads.generators(2);
  const run = await generators.run(dividedLoadFor(url, { rate: 200, seconds: 600 }));
  expect(run.invalid).toContainEqual(
    expect.stringMatching(/^Thread 2 of 2, which had 50 % of the load, ended \d+\.\d s after the start \(/),
  );
  expect(generators.lost.aborted).toBe(true);
  expect(run.runs).toHaveLength(1);
  // Of the thread that died it is not known what it sent.
  expect(run.spent).toBeGreaterThan(sent);
  // The next load gets threads of its own.
  const before = count();
  const next = await threads.generators(2).run(dividedLoadFor(url, { rate: 100, seconds: 0.2 }));
  expect([next.spent, count() - before]).toEqual([20, 20]);
});

test('a key that is to be spared after a 429 belongs to one thread, which carries its load alone', async () => {
  const { url } = await startCounter();
  const divided = dividedLoadFor(url, { rate: 100, seconds: 0.2 });
  const mix = [sampleRequest(sampleKey({ issued: false, isSpared: true }))];
  const run = await openThreads()
    .generators(3)
    .run({ ...divided, load: { ...divided.load, mix } });
  expect(run.runs.map(({ recording }) => recording.scheduled)).toEqual([20]);
  expect(run.notes).toEqual([expect.stringMatching(/^One of the threads carried this load alone: /)]);
});

test('if judging cannot keep up, the load goes on, and it is said what was not judged', async () => {
  const { url, count } = await startCounter();
  const threads = openThreads(() => {
    const thread = startEngineThread();
    const prepare: EngineThread['prepare'] = (plan, share, onJournal) =>
      thread.prepare(plan, share, (part) => onJournal({ ...part, isCut: true }));
    return { ...thread, prepare };
  });
  const run = await threads.generators(2).run(dividedLoadFor(url, { rate: 100, seconds: 1 }));
  expect([run.spent, count()]).toEqual([100, 100]);
  // A busy machine may make the generator late, which is another matter.
  expect(run.invalid.filter((reason) => reason.includes('judged'))).toEqual([]);
  expect(run.notes).toContainEqual(
    'Limits, bans and refusals were judged until 0.0 s after the start. More requests then waited to be judged than fit into memory; at a lower rate, all of them are judged.',
  );
});

test('an interruption ends all threads, with what was measured until then', async () => {
  const interruption = new AbortController();
  const { url, count } = await startCounter((number) => {
    if (number === 20) {
      interruption.abort();
    }
    return {};
  });
  const divided = dividedLoadFor(url, { rate: 200, seconds: 600 }, { signal: interruption.signal });
  const run = await openThreads().generators(2).run(divided);
  expect(measurementIn(run).sent).toBe(count());
});
