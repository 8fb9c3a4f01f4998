/**
 * Previews of linked pages: title, description and picture of a page that a message links, shown below its text where
 * the organization's setting `inline_url_embed_preview` is on.
 *
 * Pipeline: a conversation finds the links of a new text (`embed.ts`) and gives them to the link-preview actor → the
 * actor fetches the pages (`page-fetcher.ts`), reads their heads (`page-head.ts`) and keeps them for a day → the
 * conversation adds the previews' HTML (`embed.ts`) to the message, which is no edit.
 *
 * Invariants: a fetch connects only to addresses that the filter for webhooks allows, follows at most 4 redirects,
 * lasts at most 5 seconds and reads at most 512 KiB. Nothing of a page but text and the address of a picture gets into
 * a message, all escaped. Pictures are loaded through the image proxy where it is on.
 *
 * The actors of conversations, the link-preview actor and the server's wiring import this folder.
 */
export { findPageUrlsToPreview, type LinkPreview, makeLinkPreviewHtml } from './embed.js';
export { WebPageHeadFetcher } from './page-fetcher.js';
export type { WebPageHead } from './page-head.js';
