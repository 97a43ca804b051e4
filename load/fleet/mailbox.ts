import { deserialize, serialize } from 'node:v8';

import type { Redis } from 'ioredis';

import { EXPIRY_MILLISECONDS } from './fleet-protocol.ts';

/** Where one leaves messages for another, in order: a hash of Redis that expires, in which each message has a number. */
export interface Outbox<Message> {
  /** Takes a message, which is written with the next `flush`. */
  readonly post: (message: Message) => void;
  /** Writes what waits, and that its owner lives. @throws {Error} if Redis is away; then nothing is lost */
  readonly flush: () => Promise<void>;
}

export interface Inbox<Message> {
  /** Takes out what came since the last time. @throws {Error} if Redis is away */
  readonly read: () => Promise<{ readonly messages: readonly Message[]; readonly isAlive: boolean }>;
}

// Changes with each flush.
const BEAT = 'beat';
// A flush comes at least five times a second, so that hardly more than a few wait to be read.
const READ_AT_ONCE = 16;

export function openOutbox<Message>(commands: Redis, key: string): Outbox<Message> {
  // By number, so that one that is written again, because nobody said that it arrived, is there once.
  const unwritten = new Map<string, Buffer>();
  let posted = 0;
  let beat = 0;
  return {
    post: (message) => {
      unwritten.set(`${posted}`, serialize(message));
      posted += 1;
    },
    flush: async () => {
      beat += 1;
      const written = [...unwritten.keys()];
      await commands.hset(key, new Map([...unwritten, [BEAT, Buffer.from(`${beat}`)]]));
      await commands.pexpire(key, EXPIRY_MILLISECONDS);
      written.forEach((number) => unwritten.delete(number));
    },
  };
}

export function openInbox<Message>(commands: Redis, key: string): Inbox<Message> {
  let taken = 0;
  let lastBeat = '';
  return {
    read: async () => {
      const numbers = Array.from({ length: READ_AT_ONCE }, (_, index) => `${taken + index}`);
      const [beat, ...found] = await commands.hmgetBuffer(key, BEAT, ...numbers);
      const missing = found.indexOf(null);
      const messages = found
        .slice(0, missing === -1 ? undefined : missing)
        .flatMap((bytes): readonly Message[] => (bytes === null ? [] : [deserialize(bytes)]));
      taken += messages.length;
      const isAlive = beat !== undefined && beat !== null && beat.toString() !== lastBeat;
      lastBeat = beat?.toString() ?? lastBeat;
      if (messages.length > 0) {
        await commands.hdel(key, ...numbers.slice(0, messages.length)).catch(() => {});
      }
      return { messages, isAlive };
    },
  };
}
