/**
 * The link-preview actor: one per organization. It fetches the pages that messages link, so that a slow page delays no
 * conversation.
 *
 * State: one part per message that waits (`message/`), one per fetched page (`page/`). Without phases.
 *
 * Pipeline: a conversation sends `fetchLinks` with the links of a new text → `due` fetches the pages of up to 8
 * messages → the conversation gets `showLinkPreviews` (actors/stream/commands/link-previews.ts).
 *
 * Invariants: the commands never refuse. At most 1,000 messages wait; further ones get no previews. A page is fetched
 * at most once a day, one without a preview once an hour; 1,000 pages are kept.
 *
 * Importers: src/app, which hosts the kind.
 */
export { linkPreviewActorKind } from './kind.js';
