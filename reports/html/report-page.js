// What a report does in a browser: search, filters that the address keeps, keys, and buttons that copy.
// Without it the page is whole: styles filter, and what is folded unfolds.

/** @typedef {{ show: string, level: string, q: string, keys: string }} Choice */

const ENTRIES = '.requirement, tr.entry';
const TYPING_ENDS_AFTER_MILLISECONDS = 120;
const COPIED_SHOWN_MILLISECONDS = 1500;

/** What is chosen at the start, which the address does not say. */
const STANDARD = { show: 'all', level: 'any', q: '', keys: 'on' };

const form = document.querySelector('form.choice');
const entries = [...document.querySelectorAll(ENTRIES)];
const groups = [...document.querySelectorAll('section.area, .rows, section:has(> .reports)')].map(
  (element) => ({
    element,
    entries: entries.filter((entry) => element.contains(entry)),
  }),
);
/** @type {Map<Element, string>} */
const texts = new Map();

/**
 * What an element says, in lower case; taken once, since a large report says much.
 * @param {Element} element
 * @returns {string}
 */
function textOf(element) {
  const text = texts.get(element) ?? (element.textContent ?? '').toLowerCase();
  texts.set(element, text);
  return text;
}

/**
 * @param {string} name
 * @returns {readonly HTMLInputElement[]} the fields of that name; several if they are radio buttons
 */
function fields(name) {
  const found = [...(form?.querySelectorAll(`input[name="${name}"]`) ?? [])];
  return found.filter((input) => input instanceof HTMLInputElement);
}

/** @returns {Choice} */
function readForm() {
  /** @param {'show' | 'level' | 'q'} name */
  const value = (name) =>
    fields(name)
      .find(({ type, checked }) => type !== 'radio' || checked)
      ?.value.trim() ?? STANDARD[name];
  const keys = fields('keys').some(({ checked }) => !checked) ? 'off' : STANDARD.keys;
  return { show: value('show'), level: value('level'), q: value('q'), keys };
}

/** @param {URLSearchParams} parameters what is not in them is as at the start */
function fillForm(parameters) {
  for (const name of ['show', 'level']) {
    const radios = fields(name);
    const chosen = radios.find(({ value }) => value === parameters.get(name)) ?? radios[0];
    radios.forEach((radio) => (radio.checked = radio === chosen));
  }
  fields('q').forEach((search) => (search.value = parameters.get('q') ?? ''));
  fields('keys').forEach((keys) => (keys.checked = parameters.get('keys') !== 'off'));
}

/** Shows everything, and listens to keys as before. */
function showAll() {
  fillForm(new URLSearchParams({ keys: readForm().keys }));
}

/** @returns {{ id: string, parameters: URLSearchParams | null }} what the fragment of the address says */
function readAddress() {
  const [id = '', query] = location.hash.slice(1).split(/\?(.*)/s);
  return { id, parameters: query === undefined ? null : new URLSearchParams(query) };
}

/**
 * @param {string} id of the element that the address leads to
 * @param {Choice} choice
 */
function writeAddress(id, choice) {
  const standard = new Map(Object.entries(STANDARD));
  const chosen = Object.entries(choice).filter(([name, value]) => value !== standard.get(name));
  const fragment = chosen.length === 0 ? id : `${id}?${new URLSearchParams(chosen)}`;
  if (fragment !== location.hash.slice(1)) {
    history.replaceState(null, '', fragment === '' ? location.pathname + location.search : `#${fragment}`);
  }
}

/**
 * @param {Element} entry
 * @param {Choice} choice
 */
function isChosen({ classList }, { show, level }) {
  const isShown =
    show === 'all' ||
    classList.contains(show) ||
    (show === 'undecided' && (classList.contains('inconclusive') || classList.contains('skipped')));
  return isShown && (level === 'any' || classList.contains(level));
}

/**
 * Hides what does not hold all words.
 * @param {Element} entry
 * @param {readonly string[]} words
 * @returns {number} how many findings are left; -1 if the entry is to be hidden
 */
function search(entry, words) {
  const findings = [...entry.querySelectorAll('.finding')];
  const own =
    findings.length === 0
      ? textOf(entry)
      : [...entry.querySelectorAll(':scope > div > :is(h4, .about, .badge)')].map(textOf).join(' ');
  /** @param {string} word */
  const isSaid = (word) => own.includes(word) || findings.some((finding) => textOf(finding).includes(word));
  if (!words.every(isSaid)) {
    return -1;
  }
  const matching = findings.filter((finding) =>
    words.every((word) => own.includes(word) || textOf(finding).includes(word)),
  );
  // Words that only several findings hold together are no reason to hide any.
  const shown = new Set(matching.length === 0 ? findings : matching);
  findings.forEach((finding) => finding.toggleAttribute('hidden', !shown.has(finding)));
  for (const rest of entry.querySelectorAll(':scope > div > details.rest')) {
    const hasAny = [...rest.querySelectorAll('.finding')].some((finding) => shown.has(finding));
    rest.toggleAttribute('hidden', !hasAny);
    rest.toggleAttribute('open', rest.hasAttribute('open') || (hasAny && words.length > 0));
  }
  return shown.size;
}

/** Shows what the form asks for, and says how much that is. */
function apply() {
  const choice = readForm();
  const words = choice.q.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let findings = 0;
  for (const entry of entries) {
    const found = isChosen(entry, choice) ? search(entry, words) : -1;
    entry.toggleAttribute('hidden', found === -1);
    shown += found === -1 ? 0 : 1;
    findings += Math.max(0, found);
  }
  for (const { element, entries: inside } of groups) {
    element.toggleAttribute(
      'hidden',
      inside.every((entry) => entry.hasAttribute('hidden')),
    );
  }
  const noun = form?.getAttribute('data-of') ?? 'requirement';
  const all = `${entries.length} ${noun}${entries.length === 1 ? '' : 's'}`;
  const counted = shown === entries.length ? all : `${shown === 0 ? 'none' : shown} of ${all}`;
  say(findings === 0 ? counted : `${counted}, ${findings} finding${findings === 1 ? '' : 's'}`);
  form?.querySelector('button')?.toggleAttribute('hidden', shown === entries.length);
  return choice;
}

/** @param {string} text for the eye and for a screen reader */
function say(text) {
  const found = document.querySelector('#found');
  if (found !== null && found.textContent !== text) {
    found.textContent = text;
  }
}

/** Applies the form, and keeps it in the address. */
function choose() {
  writeAddress(readAddress().id, apply());
}

/** @param {Element} element */
function unfold(element) {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) {
      at.open = true;
    }
  }
}

/** @param {string} id of what a link leads to; what is hidden is shown */
function goTo(id) {
  const target = id === '' ? null : document.getElementById(id);
  if (target === null) {
    return;
  }
  if (target.closest('[hidden]') !== null) {
    showAll();
    apply();
  }
  document.querySelector('[aria-current]')?.removeAttribute('aria-current');
  target.setAttribute('aria-current', 'true');
  unfold(target);
  target.scrollIntoView();
}

function followAddress() {
  const { id, parameters } = readAddress();
  if (parameters !== null) {
    fillForm(parameters);
    apply();
  }
  goTo(id);
  writeAddress(id, readForm());
}

/** @type {Element | null} */
let current = null;

/** @param {1 | -1} direction to the next or the previous finding of those that are shown */
function step(direction) {
  const findings = [...document.querySelectorAll('.finding')].filter(
    (finding) => finding.closest('[hidden]') === null,
  );
  const at = current === null ? -1 : findings.indexOf(current);
  const next = at === -1 ? (direction === 1 ? 0 : findings.length - 1) : at + direction;
  const finding = findings[next];
  if (finding === undefined) {
    return;
  }
  current = finding;
  unfold(finding);
  if (finding instanceof HTMLDetailsElement) {
    finding.open = true;
  }
  const target = finding.querySelector('summary') ?? finding;
  if (target instanceof HTMLElement) {
    target.tabIndex = 0;
    target.focus({ preventScroll: true });
  }
  finding.scrollIntoView({ block: 'start' });
}

/** @param {KeyboardEvent} event */
function press(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || !(target instanceof Element)) {
    return;
  }
  const [query] = fields('q');
  if (key === 'Escape' && query !== undefined && target === query) {
    if (query.value === '') {
      query.blur();
    } else {
      query.value = '';
      choose();
    }
    return;
  }
  if (readForm().keys === 'off' || target.matches('input:not([type="radio"], [type="checkbox"])')) {
    return;
  }
  const isInList = target.matches('.finding > summary');
  const action = actionOf(key, isInList);
  if (action !== null) {
    event.preventDefault();
    action();
  }
}

/**
 * @param {string} key
 * @param {boolean} isInList whether a finding has the focus
 * @returns {(() => void) | null}
 */
function actionOf(key, isInList) {
  const isNext = key === 'j' || (key === 'ArrowDown' && isInList);
  if (isNext || key === 'k' || (key === 'ArrowUp' && isInList)) {
    return () => step(isNext ? 1 : -1);
  }
  if (key === '/') {
    return () => fields('q')[0]?.focus();
  }
  const help = form?.querySelector('.keyboard');
  return key === '?' && help instanceof HTMLDetailsElement
    ? () => {
        help.open = !help.open;
        help.scrollIntoView({ block: 'nearest' });
      }
    : null;
}

/** @param {Element} place puts a button at each text in it that can be copied, and is in sight */
function addCopyButtons(place) {
  for (const block of place.querySelectorAll('.copyable:not(.with-button)')) {
    const what = block.getAttribute('data-copy') ?? 'this';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${what}`);
    button.addEventListener('click', () => void copy(block, button, what));
    block.classList.add('with-button');
    block.append(button);
  }
}

/**
 * @param {Element} block
 * @param {HTMLButtonElement} button
 * @param {string} what
 */
async function copy(block, button, what) {
  const isCopied = await writeClipboard(block);
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  say(isCopied ? `Copied ${what}` : `Press Ctrl+C to copy ${what}`);
  setTimeout(() => {
    button.textContent = 'Copy';
  }, COPIED_SHOWN_MILLISECONDS);
}

/**
 * If a page may not write to the clipboard, such as one from http, the text is selected instead.
 * @param {Element} block
 */
async function writeClipboard(block) {
  const texts = [...block.querySelectorAll('pre')];
  try {
    await navigator.clipboard.writeText(texts.map(({ textContent }) => textContent).join(''));
    return true;
  } catch {
    texts.forEach(unfold);
    getSelection()?.setBaseAndExtent(block, 0, block, block.childNodes.length);
    return false;
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(typing);
  choose();
  current = null;
  step(1);
});
form?.addEventListener('change', choose);
form?.addEventListener('input', ({ target }) => {
  if (target === fields('q')[0]) {
    clearTimeout(typing);
    typing = setTimeout(choose, TYPING_ENDS_AFTER_MILLISECONDS);
  }
});
form?.querySelector('button')?.addEventListener('click', () => {
  showAll();
  choose();
  fields('q')[0]?.focus();
});
document.addEventListener('keydown', press);
document.addEventListener('focusin', ({ target }) => {
  const finding = target instanceof Element ? target.closest('.finding') : null;
  current = finding ?? current;
});
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open) {
      addCopyButtons(target);
    }
  },
  true,
);
addEventListener('hashchange', followAddress);
document.querySelectorAll('.finding[open]').forEach(addCopyButtons);
if (form !== null) {
  apply();
}
followAddress();
