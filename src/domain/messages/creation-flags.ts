/** Flags that single people get when a message is made or its text changes (messages.md § Flags at creation). Pure. */

import type { Mentions } from '#domain/markdown';
import { groupsIn } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryView } from '#model/records';
import { alertedBy, mutersOf } from './choices.js';
import type { MessageBody } from './stored.js';

/** Members of the groups mentioned, at any depth. */
function inGroups(groups: readonly number[], directory: DirectoryView): Iterable<UserId> {
  if (groups.length === 0) return [];
  const all = groupsIn(directory);
  return groups.flatMap((id) => all.membersOf(id));
}

/** Everybody to whom the text means something, whether he has the message or not: user → flags. */
export function meantBy(content: string, mentions: Mentions, directory: DirectoryView): Map<number, string[]> {
  const flags = new Map<number, string[]>();
  for (const user of new Set([...mentions.users, ...inGroups(mentions.groups, directory)]))
    flags.set(user, ['mentioned']);
  for (const user of alertedBy(directory, content)) {
    flags.set(user, [...(flags.get(user) ?? []), 'has_alert_word']);
  }
  return flags;
}

export interface Creation {
  readonly sender: number;
  readonly content: string;
  /** Those who are to be told. */
  readonly mentions: Mentions;
  /** Whose copies are read from the beginning. */
  readonly read: readonly number[];
  readonly hasCopy: (user: number) => boolean;
}

/** A wildcard is everybody's, and noted once for all of them. */
export function flagsAtCreation(
  { sender, content, mentions, read, hasCopy }: Creation,
  directory: DirectoryView,
): MessageBody['flags'] {
  const flags: Record<string, string[]> = {};
  for (const user of new Set([...read, ...mutersOf(directory, sender)])) if (hasCopy(user)) flags[user] = ['read'];
  for (const [user, added] of meantBy(content, mentions, directory)) {
    if (hasCopy(user)) flags[user] = [...(flags[user] ?? []), ...added];
  }
  return flags;
}
