const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

const CHARACTER_BY_HTML_ENTITY_NAME: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};

/** Escapes plain text for HTML text and attribute values. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => HTML_ESCAPES[char]!);

/** Puts characters in the place of the entities that the Markdown renderer writes. Others stay. */
export const unescapeHtml = (html: string): string =>
  html.replace(/&(\w+|#39);/g, (entity, name: string) => CHARACTER_BY_HTML_ENTITY_NAME[name] ?? entity);
