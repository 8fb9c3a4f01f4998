/** Changes of rendered HTML: the content of messages, of edits and of previews of a text. */
import type { JsonObject } from '#base';
import type { ApiChange } from './change.js';
import { mapText } from './json.js';

/**
 * Returns the fields of an `ApiChange` that applies `translate` to all rendered HTML in answers and events.
 * @param marks texts: HTML that changes contains at least one of them
 */
export function inRenderedHtml(
  marks: readonly string[],
  translate: (html: string) => string,
): Required<Pick<ApiChange, 'answers' | 'message' | 'events'>> {
  const translateIfMarked = (html: string): string =>
    marks.some((mark) => html.includes(mark)) ? translate(html) : html;
  const inText =
    (name: string) =>
    (fields: JsonObject): JsonObject =>
      mapText(fields, name, translateIfMarked);
  return {
    message: {
      marks: marks.map((mark) => JSON.stringify(mark).slice(1, -1)),
      translate: (message) => (message.content_type === 'text/html' ? inText('content')(message) : message),
    },
    answers: { 'render-message': inText('rendered') },
    events: { update_message: inText('rendered_content') },
  };
}
