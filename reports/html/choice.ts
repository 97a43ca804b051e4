import { NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';

type Choice = readonly (readonly [value: string, word: string])[];

const OUTCOME_CHOICE: Choice = [
  ['all', 'all'],
  ['fail', 'failed'],
  ['undecided', 'not judged'],
  ['pass', 'passed'],
  ['observed', 'observed'],
];

const LEVEL_CHOICE: Choice = [
  ['any', 'any level'],
  ['must', 'must'],
  ['should', 'should'],
  ['observe', 'observe'],
];

/** What there is to choose from: what an entry is called, and what entries differ in. */
interface ChoiceOf {
  readonly of: string;
  readonly by: readonly ('outcome' | 'level')[];
}

/** Which entries to show: by outcome and level and, if the script of the page runs, by what they say. */
export function choiceHtml({ of, by }: ChoiceOf): Html {
  return html`<form class="choice" role="search" aria-label="Choice of ${of}s" data-of="${of}">
    <p class="needs-script">
      <label for="query">Search</label>
      <input
        type="search"
        id="query"
        name="q"
        placeholder="any words"
        autocomplete="off"
        spellcheck="false"
      />
    </p>
    ${by.includes('outcome') ? radiosHtml('show', 'Outcome', OUTCOME_CHOICE) : NO_HTML}
    ${by.includes('level') ? radiosHtml('level', 'Level', LEVEL_CHOICE) : NO_HTML}
    <p class="needs-script found">
      <output id="found" aria-live="polite"></output>
      <button type="button" hidden>Show all</button>
    </p>
  </form>`;
}

function radiosHtml(name: string, legend: string, choice: Choice): Html {
  const radios = choice.map(([value, word], index) => {
    const id = `${name}-${value}`;
    return html`<input
        type="radio"
        name="${name}"
        value="${value}"
        id="${id}"
        ${index === 0 ? html`checked` : NO_HTML}
      /><label for="${id}">${word}</label>`;
  });
  return html`<fieldset class="filter">
    <legend>${legend}</legend>
    ${radios}
  </fieldset>`;
}
