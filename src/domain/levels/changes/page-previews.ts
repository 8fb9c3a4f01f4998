import type { ApiChange } from '../change.js';
import { inRenderedHtml } from '../rendered-html.js';

/** Start of the preview of a page that has no picture. */
const START_WITHOUT_PICTURE = '<div class="message_embed"><div class="data-container">';

/** Matches a preview without a picture: a title with its link, and perhaps a description. */
const PREVIEW_PATTERN = new RegExp(
  `\\n${START_WITHOUT_PICTURE}<div class="message_embed_title"><a [^>]*>[^<]*</a></div>` +
    '(?:<div class="message_embed_description">[^<]*</div>)?</div></div>',
  'g',
);

/** Clients would show a preview without a picture as HTML source. The link itself stays in the text. */
export const PREVIEWS_WITH_PICTURES: ApiChange = {
  since: 277,
  summary: 'Only pages with a picture have a preview.',
  ...inRenderedHtml([START_WITHOUT_PICTURE], (html) => html.replace(PREVIEW_PATTERN, '')),
};
