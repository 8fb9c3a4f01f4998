/** A new text for a message: rendered anew, with the flags of those who have the message (messages.md § PATCH, effects). */
import { apiError } from '../../../src/api/errors.js';
import type { RealmId } from '../../../src/core/index.js';
import type { DirectoryView } from '../../../src/directory/index.js';
import type { Rendered } from '../../../src/markdown/index.js';
import {
  checkContent,
  copyOf,
  decidingStreams,
  flagsAtCreation,
  type MessageBody,
  type StoredMessage,
} from '../../../src/messages/index.js';
import type { Suppliers } from '../../../src/runtime/index.js';
import { asMember, type Member, memberPart } from '../../../src/streams/index.js';

const DELETED = '(deleted)';

/** As it is stored. @throws ApiError */
export const newText = (content: string): string => (content.trimEnd() === '' ? DELETED : checkContent(content));

/** Flags that follow from the text; all others stay. */
const FROM_TEXT = ['mentioned', 'has_alert_word'];

/** Flags of those to whom the text means something. */
function meant(
  { sender }: StoredMessage,
  content: string,
  { mentions }: Rendered,
  directory: DirectoryView,
  now: number,
  hasCopy: (user: number) => boolean,
): [user: string, flags: readonly string[]][] {
  const flags = flagsAtCreation({ sender, content, mentions, read: [], hasCopy }, directory, now);
  return Object.entries(flags)
    .map(([user, all]): [string, string[]] => [user, all.filter((flag) => FROM_TEXT.includes(flag))])
    .filter(([, all]) => all.length > 0);
}

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
  { store, services }: Suppliers,
): Promise<Memberships> {
  const streams = decidingStreams(message).filter((stream) => stream !== own);
  const now = services.clock.now();
  const users = meant(message, content, rendered, directory, now, () => true).map(([user]) => Number(user));
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
  now: number,
  member: (stream: number, user: number) => Member | undefined,
): Partial<MessageBody> {
  if (rendered === null) throw apiError('CANNOT_RENDER');
  const flags: Record<string, readonly string[]> = {};
  for (const [user, before] of Object.entries(message.body.flags)) {
    const kept = before.filter((flag) => !FROM_TEXT.includes(flag));
    if (kept.length > 0) flags[user] = kept;
  }
  const hasCopy = (user: number): boolean => copyOf(message, user, (stream) => member(stream, user), false).has;
  for (const [user, added] of meant(message, content, rendered, directory, now, hasCopy)) {
    flags[user] = [...(flags[user] ?? []), ...added];
  }
  return {
    content,
    html: rendered.html,
    flags,
    wildcard: rendered.mentions.wildcard,
    has: { link: rendered.hasLink, image: rendered.hasImage },
  };
}
