/** Persisted state of a link-preview actor: messages that wait for previews, and pages that were fetched. */

import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#base';
import type { WebPageHead } from '#domain/link-previews';
import { ActorPartAccessor, type ActorParts } from '#model';
import type { FetchLinkedPagesArgs } from '#model/commands';

export type LinkPreviewActorState = JsonObject;

/** Messages that wait for the previews of their links, by message id. */
export const MESSAGES_AWAITING_PREVIEW_TABLE = new ActorPartAccessor<FetchLinkedPagesArgs & JsonObject>('message/');

/** A page that was fetched. */
export interface FetchedPage extends JsonObject {
  /** Wall time of the fetch, ms. */
  readonly at: number;
  /** Facts of the preview; null for a page without a preview, also for one that could not be fetched. */
  readonly head: (WebPageHead & JsonObject) | null;
}

/** Fetched pages by the hash of their address. */
export const FETCHED_PAGE_TABLE = new ActorPartAccessor<FetchedPage>('page/');

/** Time for which the preview of a page is used again, ms. */
const PREVIEW_REUSE_MS = 86_400_000;
/** Time for which a page without a preview is not fetched again, ms. */
const NO_PREVIEW_REFETCH_PAUSE_MS = 3_600_000;
/** Maximum number of pages that an organization keeps; the oldest go first. */
const MAX_KEPT_PAGES_PER_ORGANIZATION = 1_000;

export const hashPageUrl = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 22);

/** False also for a page that a clock which was ahead has fetched in the future. */
const isPageUnexpired = ({ at, head }: FetchedPage, now: number): boolean =>
  Math.abs(now - at) < (head ? PREVIEW_REUSE_MS : NO_PREVIEW_REFETCH_PAUSE_MS);

/** The kept page of an address, unless it is too old. */
export function findUnexpiredPage(parts: ActorParts, url: string, now: number): FetchedPage | undefined {
  const page = FETCHED_PAGE_TABLE.findPartValue(parts, hashPageUrl(url));
  return page && isPageUnexpired(page, now) ? page : undefined;
}

/** Deletions of pages that are too old, or too many beside `added` new ones. */
export function makeExpiredOrSurplusPageDeletions(
  parts: ActorParts,
  added: number,
  now: number,
): Readonly<Record<string, Json>> {
  const pages = [...FETCHED_PAGE_TABLE.entries(parts)].sort(([, a], [, b]) => a.at - b.at);
  const surplus = pages.length + added - MAX_KEPT_PAGES_PER_ORGANIZATION;
  const dropped = pages.filter(([, page], i) => i < surplus || !isPageUnexpired(page, now));
  return Object.assign({}, ...dropped.map(([id]) => FETCHED_PAGE_TABLE.makePartChange(id, null)));
}
