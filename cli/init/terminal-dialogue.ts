import { type CANCEL_SYMBOL, intro, isCancel, log, select, text, updateSettings } from '@clack/prompts';

import { Cancelled, type Choice, type Dialogue } from './dialogue.ts';

const TELL = { good: log.success, bad: log.warn, plain: log.message } as const;

const CTRL_D = '\u0004';

/**
 * Somebody at a terminal. Questions go to stderr, so that they are seen even if stdout goes to a file.
 * @param signal breaks off the question that is open
 */
export function openTerminalDialogue(title: string, signal: AbortSignal): Dialogue {
  updateSettings({ aliases: { [CTRL_D]: 'cancel' } });
  const common = { output: process.stderr, signal };
  intro(title, common);
  return {
    isAttended: true,
    text: async ({ message, placeholder, initial, problem }) =>
      answered(
        await text({
          ...common,
          message,
          placeholder,
          ...(initial === undefined ? {} : { initialValue: initial }),
          validate: (value) => problem(value?.trim() ?? ''),
        }),
      ).trim(),
    choose: async ({ message, choices }) => {
      const chosen = answered(await select({ ...common, message, options: choices.map(optionOf) }));
      return valueOf(choices, chosen);
    },
    tell: (kind, line) => TELL[kind](line, common),
  };
}

// A type of its own, so that the library need not distinguish what the values are.
function optionOf({ value, label, hint = '' }: Choice<string>): Required<Choice<string>> {
  return { value, label, hint };
}

function answered<Value>(answer: Value | typeof CANCEL_SYMBOL): Value {
  if (isCancel(answer)) {
    throw new Cancelled();
  }
  return answer;
}

function valueOf<Value extends string>(choices: readonly { readonly value: Value }[], chosen: string): Value {
  const choice = choices.find(({ value }) => value === chosen);
  if (choice === undefined) {
    throw new Error(`There is no choice ${chosen}`);
  }
  return choice.value;
}
