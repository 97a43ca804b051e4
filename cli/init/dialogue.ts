import { ConfigurationError } from '../../contract/configuration-error.ts';

/** What every question has. */
interface Question {
  readonly message: string;
  /** The option that answers it without a question, such as `--pipeline`. */
  readonly option: string;
}

interface TextQuestion extends Question {
  readonly placeholder: string;
  /** What stands there already. */
  readonly initial?: string;
  /** What is wrong with an answer, or `undefined`. */
  readonly problem: (text: string) => string | undefined;
}

/** A choice of a question. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

interface ChoiceQuestion<Value extends string> extends Question {
  readonly choices: readonly Choice<Value>[];
  /** What is taken if nobody is there. */
  readonly unattended: Value;
}

/** Somebody who answers questions, or nobody. Each question rejects with `Cancelled` if it is broken off. */
export interface Dialogue {
  readonly isAttended: boolean;
  readonly text: (question: TextQuestion) => Promise<string>;
  readonly choose: <Value extends string>(question: ChoiceQuestion<Value>) => Promise<Value>;
  readonly tell: (kind: 'good' | 'bad' | 'plain', text: string) => void;
}

/** A question was broken off, with Ctrl-C or by a terminal that was closed. */
export class Cancelled extends Error {
  override name = 'Cancelled';
}

const refuse = async ({ option, message }: Question): Promise<never> => {
  throw new ConfigurationError(
    `${option} is missing: it answers "${message}", which cannot be asked, because this is not a terminal`,
  );
};

/** Nobody is there, as in a script: what is not answered by an option is bad usage. */
export const UNATTENDED: Dialogue = {
  isAttended: false,
  text: refuse,
  choose: async ({ unattended }) => unattended,
  tell: (_kind, text) => void process.stdout.write(`${text}\n`),
};
