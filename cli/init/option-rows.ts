import { fieldOptions } from '../shared/options/shared-options.ts';
import { asText, flag, list, optional } from '../shared/options/option-rows.ts';
import { parseChoice } from '../shared/options/values.ts';
import { PIPELINE_CHOICES } from './pipelines/index.ts';

/** The options of `stockcheck init`: each is the answer to a question. */
export const INIT_OPTIONS = {
  keyVariable: list('<plan=name>', 'environment variable that holds an API key of a plan', asText),
  ...fieldOptions('control', 'profile'),
  pipeline: optional(
    '<name>',
    'pipeline to write a file for: github, gitlab, jenkins, circleci or none',
    (text, named) => parseChoice(named, text, PIPELINE_CHOICES),
  ),
  config: optional('<file>', 'configuration to write (default: stockcheck.config.json)', asText),
  offline: flag('do not try the target: send nothing, and need no key'),
  force: flag('replace files that are there'),
};
