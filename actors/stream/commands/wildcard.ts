/** Who may wake everybody in a stream (messages.md § POST /messages, check 16). */
import { apiError } from '../../../src/api/errors.js';
import type { Json } from '../../../src/core/index.js';
import type { DirectoryUser, DirectoryView } from '../../../src/directory/index.js';
import { wildcardAllowed } from '../../../src/people/index.js';
import { memberIds } from './members.js';

/** More subscribers than this, and the organization decides. */
const WILDCARD_FREE = 15;

/** @throws ApiError */
export function checkWildcard(
  sender: DirectoryUser | undefined,
  parts: ReadonlyMap<string, Json>,
  { settings }: DirectoryView,
  now: number,
): void {
  if (memberIds(parts).length <= WILDCARD_FREE) return;
  const policy = Number(settings.wildcard_mention_policy);
  if (!sender || !wildcardAllowed(policy, sender, settings, now)) throw apiError('WILDCARD_NOT_ALLOWED');
}
