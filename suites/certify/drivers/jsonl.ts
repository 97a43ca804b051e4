import { isJsonObject, parseIfJson, type JsonObject } from '../../../contract/json/index.ts';
import {
  withoutOrder,
  type ClientCommand,
  type ClientDriver,
  type ClientOrder,
  type ClientOutcome,
} from './driver.ts';
import { LONGEST_LINE_BYTES, splitLines } from './lines.ts';
import { captureOutput, type OutputCapture } from './output.ts';
import { settlesWithin, startProcessGroup, tellExit, type ProcessGroup } from './process-group.ts';
import { markDescendants } from './process-session.ts';
import { excerpt, readReply, lineText, type Telling } from './reply.ts';

/**
 * Keeps one process for all orders, which it reads from stdin. If it exits, the next order starts it again.
 * An order that is given up takes the process with it: that gets no further orders, and is ended as soon as it
 * has settled the others, so that what was given up neither runs on nor holds up later orders.
 * @throws {ConfigurationError} if the command is empty; `perform` throws it if it cannot be started
 */
export function createJsonlDriver(client: ClientCommand): ClientDriver {
  const marked = markDescendants(client);
  const closing = new AbortController();
  const processes = new Set<JsonlProcess>();
  const timesGiven = new Map<string, number>();
  let starting: Promise<JsonlProcess> | null = null;

  const start = async (): Promise<JsonlProcess> => {
    const started = await startJsonlProcess(marked.client);
    processes.add(started);
    void started.completed.then(() => processes.delete(started));
    return started;
  };
  const available = async (): Promise<JsonlProcess> => {
    const running = [...processes].find((process) => process.isAvailable());
    if (running !== undefined) {
      return running;
    }
    starting ??= start().finally(() => {
      starting = null;
    });
    return starting;
  };
  /** A reply that comes late must not be taken for that to a later order of the same scenario. */
  const uniqueId = (id: string): string => {
    const times = (timesGiven.get(id) ?? 0) + 1;
    timesGiven.set(id, times);
    return times === 1 ? id : `${id}-${times}`;
  };
  return {
    starts: 'one',
    perform: async (order, end) => {
      const over = AbortSignal.any([end, closing.signal]);
      if (over.aborted) {
        return { kind: 'ended', output: '' };
      }
      const process = await available();
      return process.perform(requestOf(order, uniqueId(order.id)), over);
    },
    processorDelay: () => Math.max(0, ...[...processes].map((process) => process.processorDelay())),
    quietSeconds: () => Math.min(...[...processes].map((process) => process.quietSeconds())),
    garbles: () => [...processes].some((process) => process.garbles()),
    close: async () => {
      closing.abort();
      await starting?.catch(() => undefined);
      await Promise.all([...processes].map((process) => process.close()));
      await marked.end();
    },
  };
}

type JsonlRequest = ReturnType<typeof requestOf>;

/** A request as it stands on one line of stdin: petId in digits, since an int64 is wider than a double. */
function requestOf({ baseUrl, apiKey, task }: ClientOrder, id: string) {
  const { operation } = task;
  const change = operation === 'updateInventory' ? { petId: `${task.petId}`, quantity: task.quantity } : {};
  return { id, baseUrl, apiKey, operation, ...change };
}

type JsonlProcess = Awaited<ReturnType<typeof startJsonlProcess>>;

interface Outstanding {
  readonly output: OutputCapture;
  readonly settle: (outcome: ClientOutcome) => void;
}

/** How long a second reply line for the same order is looked out for. */
const SECOND_REPLY_MILLISECONDS = 500;
/** How long a process may go on after its stdin was closed. */
const CLOSING_MILLISECONDS = 2_000;

/** Starts a process that performs orders side by side. @throws {ConfigurationError} if it cannot be started */
async function startJsonlProcess(client: ClientCommand) {
  const conversation = newConversation();
  const { outstanding, keys } = conversation;
  const retire = (problem: string): void => {
    conversation.isRetired = true;
    failAll(conversation, () => problem);
    void group.end();
  };
  const lines = splitLines((line) => {
    if (line === null) {
      retire(`It wrote a line of more than ${LONGEST_LINE_BYTES / 2 ** 20} MiB.`);
    } else {
      receiveLine(conversation, line);
    }
  }, retire);
  const group = await startProcessGroup({
    ...client,
    environment: withoutOrder(client.environment),
    stdin: 'pipe',
    onStdout: lines.push,
    onStderr: (chunk) => {
      for (const { output } of outstanding.values()) {
        output.onStderr(chunk);
      }
    },
  });
  const complete = async (): Promise<void> => {
    const exit = await group.completed;
    lines.flush();
    const when =
      outstanding.size > 1 ? `while ${outstanding.size} requests were outstanding` : 'before it replied';
    failAll(conversation, ({ output }) => tellExit(exit, when, output.errorLine(keys)));
  };
  const completed = complete();
  return {
    /** Whether it takes further orders: it runs, and no order was given up. */
    isAvailable: (): boolean => group.isRunning() && !conversation.isRetired,
    perform: (request: JsonlRequest, end: AbortSignal): Promise<ClientOutcome> => {
      lines.allowMore();
      return performOrder(conversation, group, request, end);
    },
    processorDelay: group.processorDelay,
    quietSeconds: group.quietSeconds,
    garbles: (): boolean => conversation.hasGarbled && !conversation.hasReplied,
    /** Resolves when nothing is left of it. */
    completed,
    /** Closes its stdin, and ends it if it does not exit then. */
    close: async (): Promise<void> => {
      conversation.isRetired = true;
      group.stdin?.end();
      if (!(await settlesWithin(group.exited, CLOSING_MILLISECONDS))) {
        await group.end();
      }
      await completed;
    },
  };
}

type Conversation = ReturnType<typeof newConversation>;

/** What a process was asked, and what it has said. */
function newConversation() {
  const keys = new Set<string>();
  const telling: Telling = { where: 'the reply line', secrets: keys };
  return {
    /** Orders without a reply, by id. */
    outstanding: new Map<string, Outstanding>(),
    /** Orders whose reply was just read. */
    replied: new Map<string, Outstanding>(),
    givenIds: new Set<string>(),
    /** What is wrong with replies that have the id of no order. */
    strays: new Array<string>(),
    keys,
    telling,
    /** It takes no further orders. */
    isRetired: false,
    hasReplied: false,
    /** It has written a line that was meant as a reply and is none. */
    hasGarbled: false,
  };
}

/** Writes an order, and waits for its reply, its failure, or its end. */
async function performOrder(
  conversation: Conversation,
  group: ProcessGroup,
  request: JsonlRequest,
  end: AbortSignal,
): Promise<ClientOutcome> {
  const { outstanding, givenIds, keys } = conversation;
  const { id } = request;
  const { promise, resolve } = Promise.withResolvers<ClientOutcome>();
  const order: Outstanding = { output: captureOutput(), settle: resolve };
  const endIfUnused = async (): Promise<void> => {
    if (conversation.isRetired && outstanding.size === 0) {
      await group.end();
    }
  };
  const giveUp = async (): Promise<void> => {
    if (outstanding.delete(id)) {
      conversation.isRetired = true;
      await endIfUnused();
      const output = order.output.text(keys);
      const [stray] = conversation.strays;
      resolve(
        stray === undefined
          ? { kind: 'ended', output, ...(conversation.hasReplied ? {} : { mute: true }) }
          : broken(`No reply to the request ${id} came. ${stray}`, output),
      );
    }
  };
  const failUndelivered = async (): Promise<void> => {
    conversation.isRetired = true;
    // A process that is about to exit cannot be written to either, and its exit tells more.
    if (!(await settlesWithin(group.exited, CLOSING_MILLISECONDS))) {
      fail(conversation, id, 'It closed its stdin, so that no further order reached it.');
    }
  };
  const onEnd = (): void => void giveUp();
  givenIds.add(id);
  keys.add(request.apiKey);
  outstanding.set(id, order);
  end.addEventListener('abort', onEnd, { once: true });
  if (end.aborted) {
    onEnd();
  } else {
    group.stdin?.write(`${JSON.stringify(request)}\n`, (error) => {
      if (error) {
        void failUndelivered();
      }
    });
  }
  const outcome = await promise;
  end.removeEventListener('abort', onEnd);
  void endIfUnused();
  return outcome;
}

function fail({ outstanding, keys }: Conversation, id: string, problem: string): void {
  const order = outstanding.get(id);
  outstanding.delete(id);
  order?.settle(broken(problem, order.output.text(keys)));
}

function broken(problem: string, output: string): ClientOutcome {
  return { kind: 'broken', problem, output, ofMany: true };
}

function failAll(conversation: Conversation, tell: (order: Outstanding) => string): void {
  for (const [id, order] of conversation.outstanding) {
    fail(conversation, id, tell(order));
  }
}

/** Reads a line as the reply to an order, or finds out what else it is. */
function receiveLine(conversation: Conversation, line: Buffer): void {
  const { outstanding, replied, givenIds, keys } = conversation;
  const text = lineText(line).trim();
  const members = readMembers(text);
  const id = typeof members?.['id'] === 'string' ? members['id'] : undefined;
  const order = id === undefined ? undefined : outstanding.get(id);
  if (members !== undefined && id !== undefined && order !== undefined) {
    writeLine(order, line);
    conversation.hasReplied = true;
    receiveReply(conversation, id, order, members);
    return;
  }
  const repliedOrder = id === undefined ? undefined : replied.get(id);
  if (repliedOrder !== undefined) {
    writeLine(repliedOrder, line);
    const problem = `It wrote a second reply line with the id ${id}.`;
    repliedOrder.settle(broken(problem, repliedOrder.output.text(keys)));
    return;
  }
  conversation.hasGarbled ||= text.startsWith('{') && (members === undefined || 'ok' in members);
  for (const each of outstanding.values()) {
    writeLine(each, line);
  }
  const isLate = id !== undefined && givenIds.has(id);
  if (members?.['ok'] !== undefined && !isLate && outstanding.size > 0) {
    receiveStray(conversation, members);
  }
}

/** Whose reply it was meant to be is known once there are as many as orders. */
function receiveStray(conversation: Conversation, members: JsonObject): void {
  const { outstanding, strays, telling } = conversation;
  const [only = '', ...others] = outstanding.keys();
  const problem = problemOfId(members, others.length === 0 ? only : null, telling);
  strays.push(problem);
  if (strays.length >= outstanding.size) {
    strays.length = 0;
    failAll(conversation, () => problem);
  }
}

function receiveReply(
  { outstanding, replied, telling, keys }: Conversation,
  id: string,
  order: Outstanding,
  members: JsonObject,
): void {
  outstanding.delete(id);
  replied.set(id, order);
  const read = readReply(members, telling);
  const settle = (): void => {
    replied.delete(id);
    const output = order.output.text(keys);
    order.settle(
      'reply' in read ? { kind: 'replied', reply: read.reply, output } : broken(read.problem, output),
    );
  };
  setTimeout(settle, SECOND_REPLY_MILLISECONDS);
}

function readMembers(text: string): JsonObject | undefined {
  const value = text.startsWith('{') ? parseIfJson(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** @param expected the id of the only open request, or `null` if there are several */
function problemOfId(members: JsonObject, expected: string | null, telling: Telling): string {
  const { id } = members;
  const request = expected === null ? 'of an open request' : `of the request, ${expected}`;
  if (id === undefined) {
    return `In ${telling.where} id is missing.`;
  }
  return typeof id === 'string'
    ? `In ${telling.where} id is not that ${request}: ${excerpt(id, telling)}.`
    : `In ${telling.where} id is not the string ${request}.`;
}

function writeLine({ output }: Outstanding, line: Buffer): void {
  output.onStdout(line);
  output.onStdout(Buffer.from('\n'));
}
