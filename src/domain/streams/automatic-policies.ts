/**
 * Policies that a user's settings give to topics by themselves, when the user takes part in a topic or is mentioned in
 * it (users.md § Settings of newer levels). The functions have no side effects.
 */
import { USER_SETTING_DECLARATIONS, type UserSettings } from '#model';
import { TOPIC_VISIBILITY_POLICY } from './user-topics.js';

/**
 * How a user came to a topic: sent its first message, sent another one, took part in another way (a reaction, a vote),
 * or was mentioned by name.
 */
export type TopicParticipation = 'initiation' | 'send' | 'other' | 'mention';

/** Highest value of the settings `automatically_…_policy` (4 = never) for which this participation counts. */
const MAX_SETTING_BY_PARTICIPATION: Readonly<Record<TopicParticipation, number>> = {
  initiation: 3,
  send: 2,
  other: 1,
  mention: 0,
};

const { muted, unmuted, followed, inherit } = TOPIC_VISIBILITY_POLICY;

type ChosenSettings = Partial<UserSettings>;

/**
 * The policy that the user's settings give to a topic; undefined: the policy stays. A topic is never less visible
 * afterwards, and a mention leaves a muted topic muted.
 * @param settings settings of the user that differ from their defaults
 * @param current the user's present policy for the topic
 */
export function automaticTopicPolicyOf(
  participation: TopicParticipation,
  settings: ChosenSettings,
  current: number,
  isStreamMuted: boolean,
): number | undefined {
  if (current === followed) return undefined;
  if (participation === 'mention') {
    const follows =
      settings.automatically_follow_topics_where_mentioned ??
      USER_SETTING_DECLARATIONS.automatically_follow_topics_where_mentioned.default;
    return follows && current !== muted ? followed : undefined;
  }
  const counts = (name: 'automatically_follow_topics_policy' | 'automatically_unmute_topics_in_muted_streams_policy') =>
    (settings[name] ?? USER_SETTING_DECLARATIONS[name].default) <= MAX_SETTING_BY_PARTICIPATION[participation];
  if (counts('automatically_follow_topics_policy')) return followed;
  const unmutes = isStreamMuted && counts('automatically_unmute_topics_in_muted_streams_policy');
  return unmutes && current !== unmuted ? unmuted : undefined;
}

/** True if the settings may give a topic another policy, whatever the user's subscription and present policy are. */
export const mayTopicPolicyChange = (participation: TopicParticipation, settings: ChosenSettings): boolean =>
  automaticTopicPolicyOf(participation, settings, inherit, true) !== undefined;
