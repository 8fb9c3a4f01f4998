import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { mapText } from '../json.js';

/** Start of a displayed formula that follows another one in the same paragraph. */
const NEXT_FORMULA = '<br>\n<span class="katex-display">';

const separateFormulas = (html: string): string =>
  html.replaceAll(NEXT_FORMULA, NEXT_FORMULA.replace('<br>\n', '\n\n'));

const inText =
  (name: string) =>
  (fields: JsonObject): JsonObject =>
    mapText(fields, name, separateFormulas);

export const SEPARATED_FORMULAS: ApiChange = {
  since: 277,
  summary: 'Displayed formulas of one block are separated by a blank line instead of <br>.',
  message: {
    marks: [JSON.stringify(NEXT_FORMULA).slice(1, -1)],
    translate: (message) => (message.content_type === 'text/html' ? inText('content')(message) : message),
  },
  answers: { 'render-message': inText('rendered') },
  events: { update_message: inText('rendered_content') },
};
