import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** One run of the program, as a process of its own would begin it. */
export interface ResidentRun {
  readonly words: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Both streams end with it when the run has ended; the exit code and a line feed follow. */
  readonly endMark: string;
}

const [, , program = ''] = process.argv;
// Opened now, so that they are no resources of a run.
const STREAMS = [process.stdout, process.stderr];
let runs = 0;

/** What keeps a process from ending, by kind. */
function activeResources(): ReadonlyMap<string, number> {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return new Map([...kinds].map(([kind, { length }]) => [kind, length]));
}

/** A process of its own would end now. */
async function idleSince(before: ReadonlyMap<string, number>): Promise<void> {
  const isLeft = ([kind, count]: [string, number]): boolean => count > (before.get(kind) ?? 0);
  while ([...activeResources()].some(isLeft)) {
    await setTimeout(2);
  }
}

/** Does what a run left for the end of its process, and takes its listeners away. */
function endRun(exitCode: number): void {
  process.emit('exit', exitCode);
  process.removeAllListeners('exit').removeAllListeners('uncaughtException');
  STREAMS.forEach((stream) => stream.removeAllListeners('error'));
  process.exitCode = undefined;
}

async function play({ words, directory, environment, endMark }: ResidentRun): Promise<void> {
  Object.keys(process.env).forEach((name) => delete process.env[name]);
  Object.assign(process.env, environment);
  process.chdir(directory);
  process.argv = [process.execPath, program, ...words];
  const resources = activeResources();
  runs += 1;
  // The parts of the program stay; its first module, which reads the command line, begins anew.
  await import(`${pathToFileURL(program).href}?${runs}`);
  await idleSince(resources);
  const exitCode = Number(process.exitCode ?? 0);
  endRun(exitCode);
  STREAMS.forEach((stream) => stream.write(`${endMark}${exitCode}\n`));
}

process.on('message', (run: ResidentRun) => void play(run));
process.on('disconnect', () => process.exit());
