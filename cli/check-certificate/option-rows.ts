import { checkInputFile } from '../shared/files/option-paths.ts';
import { asText, optional } from '../shared/options/option-rows.ts';

/** The options of `stockcheck check-certificate`. */
export const CHECK_OPTIONS = {
  key: optional('<file>', 'public key (PEM) of the signer', checkInputFile),
  transcript: optional('<file>', 'the transcript, if it lies elsewhere', asText),
};
