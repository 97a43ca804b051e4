import { checkOutputFile } from '../shared/files/option-paths.ts';
import { fieldOptions, TARGET_HELP } from '../shared/options/shared-options.ts';
import { asText, flag, list, optional } from '../shared/options/option-rows.ts';
import { oneOf } from '../shared/options/values.ts';
import { PIPELINE_CHOICES } from './pipelines.ts';
import type { Subcommand } from '../shared/options/command.ts';

/** The options of `stockcheck init`: each is the answer to a question. */
export const INIT_OPTIONS = {
  keyVariable: list('<plan=name>', 'environment variable that holds an API key of a plan', asText),
  ...fieldOptions('control', 'profile'),
  pipeline: optional(
    '<name>',
    'pipeline to write a file for: github, gitlab or none',
    oneOf(PIPELINE_CHOICES),
  ),
  config: optional('<file>', 'configuration to write (default: stockcheck.config.json)', checkOutputFile),
  offline: flag('do not try the target: send nothing, and need no key'),
  force: flag('replace files that are there'),
};

/** `stockcheck init`. */
export const INIT: Subcommand = {
  summary: 'set up a project: configuration and pipeline',
  description:
    'Asks for a target and the environment variables that hold its keys, tries it in profile safe, and writes the configuration and, if you wish, a pipeline file. What an option answers is not asked. Keys never go into a file.',
  arguments: { '[TARGET]': TARGET_HELP },
  options: { 'Answers:': INIT_OPTIONS },
  examples: `
Examples:
  $ stockcheck init                                      asks
  $ stockcheck init https://staging.example/v1 --key-variable free=FREE_KEY,FREE_KEY_2 --pipeline github
  $ stockcheck init http://127.0.0.1:8080/v1 --control http://127.0.0.1:9090 --pipeline none
  $ stockcheck init https://staging.example/v1 --key-variable enterprise=KEY@5000/500000 --offline

Exit codes: 0 written, 2 bad usage or configuration, 3 the target could not be judged.`,
  run: async (call) => (await import('./run.ts')).runInit(call),
};
