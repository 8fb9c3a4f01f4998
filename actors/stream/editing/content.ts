/** A new text for a message: rendered anew, with the flags of those who have the message (messages.md § PATCH, effects). */

import type { Rendered } from '#domain/markdown';
import type { MessageBody, StoredEdit, StoredMessage } from '#domain/messages';
import { checkContent, copyOf, decidingStreams, meantBy } from '#domain/messages';
import type { Member } from '#domain/streams';
import { asMember, memberPart } from '#domain/streams';
import type { RealmId } from '#model';
import { userId } from '#model';
import type { OutboxCommand } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { Store } from '#ports/store';

const DELETED = '(deleted)';

/** As it is stored. @throws ApiError */
export const newText = (content: string): string => (content.trimEnd() === '' ? DELETED : checkContent(content));

/** Flags that follow from the text; all others stay. */
const TEXT_FLAGS = ['mentioned', 'has_alert_word'];

/** Stream → user → membership. */
export type Memberships = ReadonlyMap<number, ReadonlyMap<number, Member | undefined>>;

/**
 * Input of `newContent`: who of those that the text concerns was subscribed where, for a message that came from
 * elsewhere. @param own stream whose members are at hand
 */
export async function membershipsFor(
  message: StoredMessage,
  content: string,
  rendered: Rendered,
  own: number,
  realm: RealmId,
  directory: DirectoryView,
  store: Store,
): Promise<Memberships> {
  const streams = decidingStreams(message).filter((stream) => stream !== own);
  const users = [...meantBy(content, rendered.mentions, directory).keys()];
  if (streams.length === 0 || users.length === 0) return new Map();
  const wanted = streams.flatMap((stream) => users.map((user) => memberPart(realm, stream, user)));
  const parts = await store.getParts(wanted);
  return new Map(
    streams.map((stream, s) => [
      stream,
      new Map(users.map((user, u) => [user, asMember(parts[s * users.length + u]?.value)])),
    ]),
  );
}

/** Changes of the body. @param member of a stream that decides who has the message */
export function newContent(
  message: StoredMessage,
  content: string,
  rendered: Rendered | null,
  directory: DirectoryView,
  member: (stream: number, user: number) => Member | undefined,
): Partial<MessageBody> {
  if (rendered === null) throw apiError('CANNOT_RENDER');
  const flags: Record<string, readonly string[]> = {};
  for (const [user, before] of Object.entries(message.body.flags)) {
    const kept = before.filter((flag) => !TEXT_FLAGS.includes(flag));
    if (kept.length > 0) flags[user] = kept;
  }
  for (const [user, added] of meantBy(content, rendered.mentions, directory)) {
    if (!directory.user(userId(user))?.isActive) continue;
    const has = copyOf(message, user, (stream) => member(stream, user), false).has;
    if (has) flags[user] = [...(flags[user] ?? []), ...added];
  }
  return {
    content,
    html: rendered.html,
    flags,
    wildcard: rendered.mentions.wildcard,
    has: { link: rendered.hasLink, image: rendered.hasImage },
  };
}

/** What an edit of the text does to the message: changes of the body, and the history's entry. */
export interface NewText {
  readonly body: Partial<MessageBody>;
  readonly edit: Pick<StoredEdit, 'content'>;
  /** For the owners of files that it links now, or not any more. */
  readonly commands: readonly OutboxCommand[];
}
