/** Notices of the notification bot about a move (messages.md § Notices). The functions have no side effects. */

import { formatSilentMention, makeStreamNoticeCommand } from '#actors/shared';
import { makeTopicMessageUrl } from '#domain/markdown';
import { RESOLVED_TOPIC_PREFIX, type StoredMessage } from '#domain/messages';
import type { NoticeTexts } from '#domain/texts';
import type { RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';

interface TopicPlace {
  readonly stream: DirectoryStream;
  readonly topic: string;
}

interface MoveSummary {
  readonly by: DirectoryUser;
  readonly from: TopicPlace;
  readonly to: TopicPlace;
  /** Id of the message that the request named. */
  readonly message: number;
  readonly count: number;
  /** True if no message that the mover can see stayed behind. */
  readonly all: boolean;
  /** True if the topic to which the messages moved had messages before. */
  readonly targetExisted: boolean;
  readonly notifyOld: boolean;
  readonly notifyNew: boolean;
  /** True if the same request changed the text. */
  readonly withContent: boolean;
}

const formatTopicLink = ({ stream, topic }: TopicPlace): string => `#**${stream.name}>${topic}**`;

/** The topic without leading check marks and blanks. */
const stripResolvedTopicPrefix = (topic: string): string => topic.replace(/^[✔ ]+/, '');

const isResolvedTopic = (topic: string): boolean => topic.startsWith(RESOLVED_TOPIC_PREFIX);

const togglesResolvedState = (from: string, to: string): boolean => isResolvedTopic(from) !== isResolvedTopic(to);

/**
 * Notices about a move, in the order in which they must get their ids.
 * @param uninvolved subscribers of the new place who neither wrote nor reacted in the topic
 */
export function composeMoveNoticeCommands(
  moved: MoveSummary,
  realm: RealmId,
  origin: string,
  after: number,
  texts: NoticeTexts,
  uninvolved: () => readonly number[],
): OutboxCommand[] {
  const { from, to, count } = moved;
  const user = formatSilentMention(moved.by);
  const say = ({ stream, topic }: TopicPlace, content: string, read?: readonly number[]): OutboxCommand =>
    makeStreamNoticeCommand(realm, stream.id, topic, { content, origin, after, ...(read ? { read } : {}) });
  const notices: OutboxCommand[] = [];
  if (!moved.withContent && togglesResolvedState(from.topic, to.topic)) {
    const text = isResolvedTopic(to.topic) ? texts.topicResolved : texts.topicUnresolved;
    notices.push(say(to, text(user), uninvolved()));
  }
  const onlyResolves =
    from.stream.id === to.stream.id &&
    from.topic !== to.topic &&
    stripResolvedTopicPrefix(from.topic) === stripResolvedTopicPrefix(to.topic);
  if (moved.notifyNew && !onlyResolves) {
    const place = formatTopicLink(from);
    const url = (): string => makeTopicMessageUrl(origin, to.stream, to.topic, moved.message);
    const text =
      moved.all && !moved.targetExisted
        ? texts.topicMovedHere(user, place)
        : count === 1
          ? texts.messageMovedHere(user, place, url())
          : texts.messagesMovedHere(user, place, count);
    notices.push(say(to, text));
  }
  if (moved.notifyOld) {
    const place = formatTopicLink(to);
    const text = moved.all
      ? texts.topicMovedAway(user, place)
      : count === 1
        ? texts.messageMovedAway(user, place)
        : texts.messagesMovedAway(user, place, count);
    notices.push(say(from, text));
  }
  return notices;
}

/** Ids of the users who wrote one of the messages or reacted to one. */
export function authorsAndReactorsOfMessages(messages: Iterable<StoredMessage>): Set<number> {
  const people = new Set<number>();
  for (const { sender, body } of messages) {
    people.add(sender);
    for (const { user } of body.reactions ?? []) people.add(user);
  }
  return people;
}
