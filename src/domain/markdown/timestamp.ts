/** `<time:…>`: a moment, shown in each reader's zone by the client. */
import { parseFreeDate } from './free-date.js';
import { type InlineRule, patternRule } from './inline.js';
import { leaf } from './tokens.js';

export const timestamp: InlineRule = patternRule('<time:', /<time:([^>]*)>/g, ([, written = ''], inline) => {
  const text = inline.source(written);
  const moment = parseFreeDate(text, inline.context.now);
  if (moment === null) return leaf('span', { class: 'timestamp-error' }, `Invalid time format: ${text}`);
  return leaf('time', { datetime: new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z') }, text);
});
