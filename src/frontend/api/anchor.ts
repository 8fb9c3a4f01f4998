/** The anchor of a window of messages (narrow.md § Anchors and windows). */
import { NEWEST } from '#domain/messages';
import { apiError } from '#model/errors';

/** @throws ApiError */
export function parseAnchor(anchor: string | undefined): number | 'first_unread' {
  if (anchor === undefined) throw apiError('MISSING_ANCHOR');
  if (anchor === 'oldest') return 0;
  if (anchor === 'newest') return NEWEST;
  if (anchor === 'first_unread') return anchor;
  if (!/^-?\d+$/.test(anchor.trim())) throw apiError('INVALID_ANCHOR');
  return Math.min(Math.max(0, Number(anchor)), NEWEST);
}
