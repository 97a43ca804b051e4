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

const KEYS = [
  ['/', 'search'],
  ['j', 'next finding'],
  ['k', 'previous finding'],
  ['Esc', 'clear the search'],
  ['?', 'this help'],
] as const;

/** What there is to choose from: what an entry is called, and whether entries have outcomes. */
interface ChoiceOf {
  readonly of: string;
  readonly outcomes: boolean;
}

/** Which entries to show: by outcome and level, and, where the script of the page runs, by what they say. */
export function choiceHtml({ of, outcomes }: ChoiceOf): Html {
  return html`<form class="choice" role="search" aria-label="Choice of ${of}s" data-of="${of}">
    <p class="needs-script">
      <label for="query">Search</label>
      <input
        type="search"
        id="query"
        name="q"
        placeholder="name, words, header, body"
        autocomplete="off"
        spellcheck="false"
      />
    </p>
    ${outcomes ? radiosHtml('show', 'Outcome', OUTCOME_CHOICE) : NO_HTML}
    ${radiosHtml('level', 'Level', LEVEL_CHOICE)}
    <p class="needs-script found">
      <output id="found" aria-live="polite"></output>
      <button type="button" hidden>Show all</button>
    </p>
    <details class="needs-script keyboard">
      <summary>Keyboard</summary>
      <dl>
        ${KEYS.map(
          ([key, meaning]) =>
            html`<div>
              <dt><kbd>${key}</kbd></dt>
              <dd>${meaning}</dd>
            </div>`,
        )}
      </dl>
      <label><input type="checkbox" name="keys" checked /> Listen to these keys</label>
    </details>
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
