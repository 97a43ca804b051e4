import { checkInputFile, checkOutputFile } from '../shared/files/option-paths.ts';
import { asText, optional } from '../shared/options/option-rows.ts';

/** The options of `stockcheck check-certificate`. */
export const CHECK_OPTIONS = {
  key: optional('<file>', 'public key (PEM) of the signer', checkInputFile),
  json: optional('<file>', 'write what came of it as JSON; - for stdout', checkOutputFile),
  transcript: optional('<file>', 'the transcript, if it lies elsewhere', asText),
};
