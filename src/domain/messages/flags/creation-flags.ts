/**
 * Flags that single users get when a message is sent or its text changes (messages.md § Flags at creation). The
 * functions have no side effects.
 */

import { memoizeByObject } from '#base';
import { AlertWordMatcher, type MentionTargets } from '#domain/markdown';
import { getUserGroupsOfDirectory } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryView } from '#model/records';
import type { MessageBody } from '../stored/message.js';

interface AlertAndMuteIndex {
  readonly words: AlertWordMatcher;
  /** Users who have an alert word, by the word in lower case. */
  readonly byWord: ReadonlyMap<string, readonly UserId[]>;
  /** Users who muted a sender, by id of the sender. */
  readonly muters: ReadonlyMap<number, readonly UserId[]>;
}

function buildAlertAndMuteIndex(directory: DirectoryView): AlertAndMuteIndex {
  const byWord = new Map<string, UserId[]>();
  const muters = new Map<number, UserId[]>();
  const add = <K>(to: Map<K, UserId[]>, key: K, user: UserId): void => {
    const list = to.get(key);
    if (list) list.push(user);
    else to.set(key, [user]);
  };
  for (const { user, alertWords, muted } of directory.preferencesWithAlertsOrMutes()) {
    for (const word of alertWords) add(byWord, word.toLowerCase(), user);
    for (const { id } of muted) add(muters, id, user);
  }
  return { words: new AlertWordMatcher(byWord.keys()), byWord, muters };
}

/** The index of alert words and mutes; built again only when a preference in the directory changes, which is rare. */
const getAlertAndMuteIndex = memoizeByObject(
  buildAlertAndMuteIndex,
  ({ alertsAndMutesVersion }) => alertsAndMutesVersion,
);

const NO_USERS: readonly UserId[] = [];

/** Users who have an alert word that occurs in the text, without repeats. */
function userIdsAlertedByText(directory: DirectoryView, text: string): Iterable<UserId> {
  const { words, byWord } = getAlertAndMuteIndex(directory);
  if (byWord.size === 0) return NO_USERS;
  const users = new Set<UserId>();
  for (const word of words.findOccurringWords(text)) for (const user of byWord.get(word) ?? []) users.add(user);
  return users;
}

/** Users who have muted the sender. */
const userIdsWhoMutedSender = (directory: DirectoryView, sender: number): readonly UserId[] =>
  getAlertAndMuteIndex(directory).muters.get(sender) ?? NO_USERS;

/** Members of the mentioned groups and their subgroups. */
function memberIdsOfGroups(groups: readonly number[], directory: DirectoryView): Iterable<UserId> {
  if (groups.length === 0) return NO_USERS;
  const all = getUserGroupsOfDirectory(directory);
  return groups.flatMap((id) => all.transitiveMemberIdsOf(id));
}

/**
 * Users with a mention or an alert word in the text, with or without a copy of the message: user → flags.
 * @param topicParticipants users who take part in the topic, if the text mentions it
 */
export function makeMentionAndAlertFlagsByUser(
  content: string,
  mentions: MentionTargets,
  topicParticipants: readonly number[],
  directory: DirectoryView,
): Map<number, string[]> {
  const flags = new Map<number, string[]>();
  const addFlag = (user: number, flag: string): void => void flags.set(user, [...(flags.get(user) ?? []), flag]);
  if (mentions.users.length > 0 || mentions.groups.length > 0)
    for (const user of new Set([...mentions.users, ...memberIdsOfGroups(mentions.groups, directory)]))
      addFlag(user, 'mentioned');
  if (mentions.topic) for (const user of new Set(topicParticipants)) addFlag(user, 'wildcard_mentioned');
  for (const user of userIdsAlertedByText(directory, content)) addFlag(user, 'has_alert_word');
  return flags;
}

interface CreationFlagsInput {
  readonly sender: number;
  readonly content: string;
  /** Mentions in the text that notify users; silent ones are excluded. */
  readonly mentions: MentionTargets;
  /** Users who take part in the topic; needed only if the text mentions it. */
  readonly topicParticipants?: readonly number[];
  /** Users whose copies count as read from the beginning. */
  readonly read: readonly number[];
  readonly hasCopy: (user: number) => boolean;
}

/**
 * Flags of single users with a copy. A mention of everybody isn't among them: `MessageBody.wildcard` notes it once. The
 * flag `wildcard_mentioned` is that of a topic's mention.
 */
export function computeFlagsAtMessageCreation(
  { sender, content, mentions, topicParticipants = [], read, hasCopy }: CreationFlagsInput,
  directory: DirectoryView,
): MessageBody['flags'] {
  const flags: Record<string, string[]> = {};
  for (const user of read) if (hasCopy(user)) flags[user] = ['read'];
  for (const user of userIdsWhoMutedSender(directory, sender)) if (hasCopy(user)) flags[user] = ['read'];
  for (const [user, added] of makeMentionAndAlertFlagsByUser(content, mentions, topicParticipants, directory)) {
    if (hasCopy(user)) flags[user] = [...(flags[user] ?? []), ...added];
  }
  return flags;
}
