/** Every tag of the page with the names of its attributes, in order; without marks, which depend on what is said. */
export function structure(page: string): readonly string[] {
  const tags = page.replaceAll(/<\/?mark>/g, '').matchAll(/<(\/?[a-z!][a-z0-9]*)([^>]*)>/gi);
  return [...tags].map(([, name, attributes]) => {
    const names = [...(attributes ?? '').matchAll(/([\w-]+)(?:="[^"]*")?/g)].map(
      ([, attribute]) => attribute,
    );
    return [name, ...names].join(' ');
  });
}

export function attributeValues(page: string, name: string): readonly (string | undefined)[] {
  return [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value);
}
