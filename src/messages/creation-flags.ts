/** Flags that single people get when a message is made (messages.md § Flags at creation). Pure. */
import type { UserId } from '../core/index.js';
import type { DirectoryView } from '../directory/index.js';
import type { Mentions } from '../markdown/index.js';
import { UserGroups } from '../people/index.js';
import { alertedBy, mutersOf } from './choices.js';
import type { MessageBody } from './stored.js';

export interface Creation {
  readonly sender: number;
  readonly content: string;
  /** Those who are to be told. */
  readonly mentions: Mentions;
  /** Whose copies are read from the beginning. */
  readonly read: readonly number[];
  readonly hasCopy: (user: number) => boolean;
}

/** Members of the groups mentioned, at any depth. */
function inGroups(groups: readonly number[], directory: DirectoryView, now: number): Iterable<UserId> {
  if (groups.length === 0) return [];
  const all = new UserGroups(directory, now);
  return groups.flatMap((id) => all.membersOf(id));
}

/** A wildcard is everybody's, and noted once for all of them. */
export function flagsAtCreation(
  { sender, content, mentions, read, hasCopy }: Creation,
  directory: DirectoryView,
  now: number,
): MessageBody['flags'] {
  const flags: Record<string, string[]> = {};
  const set = (users: Iterable<number>, flag: string): void => {
    for (const user of new Set(users)) if (hasCopy(user)) flags[user] = [...(flags[user] ?? []), flag];
  };
  set([...read, ...mutersOf(directory, sender)], 'read');
  set([...mentions.users, ...inGroups(mentions.groups, directory, now)], 'mentioned');
  set(alertedBy(directory, content), 'has_alert_word');
  return flags;
}
