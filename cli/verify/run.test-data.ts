import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

import type { ErrorBody, InventoryItem } from '../../contract/inventory.ts';
import type { Plan } from '../../contract/plans.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import {
  FAULTS,
  type Service,
  type ServiceRequest,
  type Alteration,
  type ServiceParts,
  startReferenceServer,
  type ReferenceServerOptions,
  type RunningServer,
  VARIANTS,
} from '../../reference-server/index.ts';
import type { VerifyReport } from '../../reports/index.ts';
import type { TargetDescription } from '../../suites/target/index.ts';
import { describeReferenceServer } from '../library/embedded/embedded-target.ts';
import { readReport, runBinary, temporaryDirectory, type BinaryResult } from '../run-binary.test-data.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
import type { Check, RunOptions } from '../../suites/verify/index.ts';
import { withAcceptedForms } from '../../suites/stimuli/index.ts';
import type { Profile } from '../../contract/verdict.ts';

export interface TestTarget {
  readonly server: RunningServer;
  readonly description: TargetDescription;
  /** Method and target of each request that the service got, in order. */
  readonly requests: readonly string[];
  readonly inventory: () => readonly InventoryItem[];
}

/** What a fault or a variant alters. */
export function alterationOf(id: string): Alteration {
  const found = [...FAULTS, ...VARIANTS].find((one) => one.id === id);
  if (found === undefined) {
    throw new Error(`There is neither a fault nor a variant ${id}`);
  }
  return found.alter;
}

/** The first key of a plan with which a reference server begins. */
export function seedKey(plan: Plan): string {
  return SEED_KEYS.find((key) => key.plan === plan && key.revoked !== true)?.key ?? '';
}

/** The options that describe a reference server with its seed keys, but for its target. */
export function wordsFor({ controlUrl }: Pick<RunningServer, 'controlUrl'>): readonly string[] {
  const keys = SEED_KEYS.flatMap(({ plan, key, revoked, perMinute, perDay }) => {
    const limits = perMinute === undefined || perDay === undefined ? '' : `@${perMinute}/${perDay}`;
    return revoked === true ? ['--revoked-key', key] : ['--key', `${plan}=${key}${limits}`];
  });
  return ['--control', controlUrl, ...keys];
}

/** Has requests answered by a function, which may ask the service how it would answer. */
export function answering(
  answer: (request: ServiceRequest, service: Service) => ReturnType<Service['respond']>,
): Alteration {
  return {
    service: (service) => ({ ...service, respond: (request) => answer(request, service) }),
  };
}

/** Starts a reference server with a fault; it is closed at the end of the test. */
export async function startFaulty(id: string): Promise<RunningServer> {
  const server = await startReferenceServer({ alterations: [alterationOf(id)], graceMilliseconds: 0 });
  onTestFinished(() => server.close());
  return server;
}

/** Starts a program that is a target, hands on the first line that it prints, and ends it in every case. */
export async function whileTargetRuns<Result>(
  [program, ...words]: readonly [program: string, ...words: string[]],
  use: (firstLine: string) => Promise<Result>,
): Promise<Result> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const complaints = text(child.stderr);
  const lost = closed.then(async () => {
    throw new Error(`The target ended before it listened: ${await complaints}`);
  });
  try {
    const [first] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), lost]);
    return await use(String(first));
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}

/** Starts a reference server whose traffic is recorded; it is closed at the end of the test. */
export async function startTarget(options: ReferenceServerOptions = {}): Promise<TestTarget> {
  const requests: string[] = [];
  let parts: ServiceParts | undefined;
  const server = await startReferenceServer({
    ...options,
    alterations: [
      ...(options.alterations ?? []),
      {
        service: (service, composed) => {
          parts = composed;
          return watchRequests(service, ({ method, target }) => requests.push(`${method} ${target}`));
        },
      },
    ],
  });
  onTestFinished(() => server.close());
  return {
    server,
    description: describeReferenceServer(server),
    requests,
    inventory: () => parts?.inventory.list() ?? [],
  };
}

/** The service, with each request reported before it is answered. */
export function watchRequests(service: Service, watch: (request: ServiceRequest) => void): Service {
  return {
    ...service,
    respond: (request) => {
      watch(request);
      return service.respond(request);
    },
  };
}

/** Violates error-code: Error objects hold no code. */
export const withoutErrorCode: Alteration = {
  parts: (parts) => ({ representation: { ...parts.representation, error: errorWithoutCode } }),
};

function errorWithoutCode({ message, status }: ErrorBody): string {
  return JSON.stringify({ message, status });
}

export interface VerifyResult extends BinaryResult {
  /** `null` if none was written. */
  readonly report: VerifyReport | null;
}

/** Runs `stockcheck verify` with a configuration file and further options, in a folder of its own. */
export async function verifyTarget(
  description: TargetDescription,
  words: readonly string[] = [],
  directory = temporaryDirectory(),
  environment: Readonly<Record<string, string>> = {},
): Promise<VerifyResult> {
  writeJson(directory, 'config.json', description);
  const result = await runBinary(
    ['verify', '--config', 'config.json', '--json', 'out.json', ...words],
    directory,
    environment,
  );
  return { ...result, report: readReport(join(directory, 'out.json'), 'verify') };
}

export function writeJson(directory: string, name: string, value: unknown): void {
  writeFileSync(join(directory, name), JSON.stringify(value));
}

/** The ids of what failed in a report, or in judgements. */
export function failedIds(
  requirements: readonly { readonly id: string; readonly outcome: string }[] = [],
): readonly string[] {
  return requirements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
}

/** The journals that runs have left in their folder for state. */
export function journalsIn(directory: string): readonly string[] {
  const path = join(directory, 'journal');
  return existsSync(path) ? readdirSync(path) : [];
}

export function outcomeIn(report: VerifyReport | null, id: string): string | undefined {
  return report?.requirements.find((requirement) => requirement.id === id)?.outcome;
}

/** Pets by their id, since a list has no order of its own. */
export function byPetId(items: readonly InventoryItem[]): ReadonlyMap<bigint, InventoryItem> {
  return new Map(items.map((item) => [item.petId, item]));
}

interface Judging extends Partial<Omit<RunOptions, 'checks'>> {
  /** Default standard. */
  readonly profile?: Profile;
  /** Whether the run knows the control URL. */
  readonly control?: boolean;
  /** Ids, or checks in place of all others; default one that only reads. */
  readonly checks?: readonly (string | Check)[];
}

/** Judges a target as `stockcheck verify` does, without a process of its own. */
export async function judgeInProcess(
  { description }: Pick<TestTarget, 'description'>,
  { profile = 'standard', control = false, checks = ['list'], ...changes }: Judging = {},
) {
  const { control: _control, ...plain } = description;
  const notices: string[] = [];
  const own = checks.filter((check) => typeof check === 'object');
  const result = await runForTest(
    { ...(control ? description : plain), profile },
    {
      ...(own.length > 0 ? { checks: withAcceptedForms(own) } : { selects: ({ id }) => checks.includes(id) }),
      banWaitSeconds: 1,
      listener: { onNotice: (notice) => notices.push(notice) },
      ...changes,
    },
  );
  const judgementOf = (id: string) => result.judgements.find((judgement) => judgement.id === id);
  return { ...result, notices, judgementOf };
}

/** Has checks judge a reference server that is altered, through its control URL. */
export async function judgeAltered(
  checks: NonNullable<Judging['checks']>,
  alterations: readonly Alteration[],
  changes: Judging = {},
) {
  const target = await startTarget({ alterations, graceMilliseconds: 0 });
  const judging = { profile: 'full', control: true, banWaitSeconds: 60, checks, ...changes } as const;
  return { ...(await judgeInProcess(target, judging)), requests: target.requests };
}
