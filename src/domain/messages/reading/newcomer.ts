/**
 * The history of a new account (users.md § POST /users): copies of the newest messages of the last 7 days in its
 * streams, the last 20 of them unread. All streams share one sequence of ids, so two ids describe all copies.
 */
import type { RealmId } from '#model';
import type { Store } from '#ports/store';
import { storeNameOfStreamConversation, toStoredMessage } from '../stored/message.js';
import { NEWEST_ANCHOR_MESSAGE_ID } from './fetch.js';

const MAX_NEW_USER_MESSAGE_COPIES = 1_000;
const MAX_NEW_USER_UNREAD_MESSAGES = 20;
const NEW_USER_HISTORY_DAYS = 7;

export interface NewUserHistoryBounds {
  /** The new account gets copies of messages with larger ids than this. */
  readonly after: number;
  /** Id up to which the new account's messages count as read. */
  readonly mark: number;
}

/**
 * The history of a new account. Undefined if there are no recent messages. @param streams public streams. @param now ms
 * since 1970
 */
export async function findNewUserHistoryBounds(
  store: Store,
  realm: RealmId,
  streams: readonly number[],
  now: number,
): Promise<NewUserHistoryBounds | undefined> {
  const since = now / 1000 - NEW_USER_HISTORY_DAYS * 86_400;
  const newest = await Promise.all(
    streams.map(async (stream) => {
      const index = { by: 'conversation', conversation: storeNameOfStreamConversation(stream) } as const;
      const records = await store.scanMessages({
        realm,
        index,
        from: NEWEST_ANCHOR_MESSAGE_ID,
        direction: 'older',
        limit: MAX_NEW_USER_MESSAGE_COPIES,
      });
      const recent = records
        .map(toStoredMessage)
        .filter(({ originStream, body }) => originStream === stream && body.sent > since);
      return recent.map(({ id }) => id);
    }),
  );
  const ids = newest
    .flat()
    .sort((a, b) => b - a)
    .slice(0, MAX_NEW_USER_MESSAGE_COPIES);
  const oldest = ids.at(-1);
  return oldest === undefined
    ? undefined
    : { after: oldest - 1, mark: ids[MAX_NEW_USER_UNREAD_MESSAGES] ?? oldest - 1 };
}
