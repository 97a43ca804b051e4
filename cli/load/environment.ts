import { availableParallelism, arch, cpus, release, type } from 'node:os';

import type { LoadEnvironment } from '../../reports/index.ts';

const HIDDEN = '…';

/** What stands for the value of an option that may hold a secret. */
const MASKS: Readonly<Record<string, (value: string) => string>> = {
  '--key': (value) => `${/^[a-z]+=/.exec(value)?.[0] ?? ''}${HIDDEN}`,
  '--revoked-key': () => HIDDEN,
  '--header': (value) => `${/^[^:]*: ?/.exec(value)?.[0] ?? ''}${HIDDEN}`,
  '--fleet': (value) => value.replace(/\/\/[^/]*@/, `//${HIDDEN}@`),
};

/** This machine, and the command line without its secrets. */
export function describeLoadEnvironment(words: readonly string[]): LoadEnvironment {
  return {
    processor: cpus()[0]?.model.trim() || `unknown ${arch()} processor`,
    cores: availableParallelism(),
    node: process.versions.node,
    system: `${type()} ${release()} ${arch()}`,
    command: ['stockcheck', ...withoutSecrets(words)],
  };
}

/** The words of a command line, with what may be a secret hidden; `--option value` and `--option=value` alike. */
export function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const mask = MASKS[words[index - 1] ?? ''];
    if (mask !== undefined) {
      return mask(word);
    }
    const [, option = '', value = ''] = /^(--[a-z-]+)=([^]*)$/.exec(word) ?? [];
    const inner = MASKS[option];
    return inner === undefined ? word : `${option}=${inner(value)}`;
  });
}
