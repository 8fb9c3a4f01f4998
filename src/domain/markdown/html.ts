/** Serialisation of HTML (markdown.md § Message rendering). */

/** Matches an ampersand that is not part of an entity, because existing entities are not escaped again. */
const BARE_AMPERSAND_PATTERN = /&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

export function escapeHtmlKeepingEntities(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replace(BARE_AMPERSAND_PATTERN, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeAttributeKeepingEntities(value: string): string {
  return escapeHtmlKeepingEntities(value).replaceAll('"', '&quot;');
}

/** Escapes code, which is shown literally: entities are escaped too. */
export function escapeCodeForHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes text that has no markup, for content and attributes. */
export const escapePlainTextForHtml = (text: string): string => escapeCodeForHtml(text).replaceAll('"', '&quot;');

/**
 * Attributes of an element as HTML, in alphabetical order. An attribute whose value equals its name is written without
 * a value, as the API's original server does.
 */
export function renderSortedHtmlAttributes(list: readonly (readonly [name: string, value: string | number])[]): string {
  return [...list]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => (name === value ? ` ${name}` : ` ${name}="${escapeAttributeKeepingEntities(`${value}`)}"`))
    .join('');
}

export function wrapHtmlInElement(tag: string, attrs: Readonly<Record<string, string>>, html: string): string {
  return `<${tag}${renderSortedHtmlAttributes(Object.entries(attrs))}>${html}</${tag}>`;
}
