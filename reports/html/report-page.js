// What a report does in a browser: search, filters that the address keeps, and buttons that copy.
// Without it the page is whole: styles filter, and what is folded unfolds.

/** @typedef {{ show: string, level: string, q: string }} Choice */

const ENTRIES = '.requirement, tr.entry';
const TYPING_ENDS_AFTER_MILLISECONDS = 120;
const COPIED_SHOWN_MILLISECONDS = 1500;

/** What is chosen at the start, which the address does not say. */
const STANDARD = { show: 'all', level: 'any', q: '' };

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

/** @param {'show' | 'level' | 'q'} name */
function valueOf(name) {
  const input = fields(name).find(({ type, checked }) => type !== 'radio' || checked);
  return input?.value.trim() ?? STANDARD[name];
}

/** @returns {Choice} */
function readForm() {
  return { show: valueOf('show'), level: valueOf('level'), q: valueOf('q') };
}

/** @param {URLSearchParams} parameters what is not in them is as at the start */
function fillForm(parameters) {
  for (const name of ['show', 'level']) {
    const radios = fields(name);
    const chosen = radios.find(({ value }) => value === parameters.get(name)) ?? radios[0];
    radios.forEach((radio) => (radio.checked = radio === chosen));
  }
  fields('q').forEach((search) => (search.value = parameters.get('q') ?? ''));
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
    fillForm(new URLSearchParams());
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

/** Unfolds the first finding that is shown, and puts the focus on it. */
function showFirstFinding() {
  const finding = [...document.querySelectorAll('.finding')].find((one) => one.closest('[hidden]') === null);
  const target = finding?.querySelector('summary') ?? finding;
  if (target instanceof HTMLElement) {
    unfold(target);
    target.tabIndex = 0;
    target.focus({ preventScroll: true });
    target.scrollIntoView();
  }
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
  showFirstFinding();
});
form?.addEventListener('change', choose);
form?.addEventListener('input', ({ target }) => {
  if (target === fields('q')[0]) {
    clearTimeout(typing);
    typing = setTimeout(choose, TYPING_ENDS_AFTER_MILLISECONDS);
  }
});
form?.querySelector('button')?.addEventListener('click', () => {
  fillForm(new URLSearchParams());
  choose();
  fields('q')[0]?.focus();
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
