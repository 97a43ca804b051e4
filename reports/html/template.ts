const MARKUP = Symbol('markup');

/** Markup that is safe to place in a page; only the `html` tag makes it. */
export interface Html {
  readonly [MARKUP]: string;
}

type Interpolated = string | number | Html | readonly Html[];

/**
 * Template tag for HTML. Strings and numbers are escaped for element content and quoted attribute values;
 * markup is inserted unchanged. Not for unquoted attributes, script, style or URLs from elsewhere.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Interpolated[]): Html {
  const parts = literals.map((literal, index) => {
    const value = values[index];
    return value === undefined ? literal : literal + markupOf(value);
  });
  return { [MARKUP]: parts.join('') };
}

/** Markup from a library, unchanged: its texts must be escaped already. */
export function trustedHtml(text: string): Html {
  return { [MARKUP]: text };
}

/** The markup as text, to be written to a file. */
export function renderHtmlTemplate(markup: Html): string {
  return markup[MARKUP];
}

function markupOf(value: Interpolated): string {
  switch (typeof value) {
    case 'string':
      return escapeHtml(value);
    case 'number':
      return String(value);
    default:
      return MARKUP in value ? value[MARKUP] : value.map(renderHtmlTemplate).join('');
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text with the five characters that have a meaning in HTML as character references. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
