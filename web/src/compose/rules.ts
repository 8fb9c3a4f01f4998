import { core } from '../client/index.js';
import { type Conversation, ROLE, type Stream } from '../core/index.js';
import { t } from '../text/index.js';
import { NO_TOPIC_NAME } from './composer.js';

/** Values of a stream's posting policy. */
const STREAM_POST_POLICY = { admins: 2, fullMembers: 3, moderators: 4 } as const;

/** Value of the policy that allows direct messages with bots only. */
const DIRECT_MESSAGES_OFF_POLICY = 2;

/** Wildcard mentions are free in streams of up to this many subscribers. */
export const MAX_SUBSCRIBERS_FOR_FREE_WILDCARD = 15;

/** Values of the policy of wildcard mentions, which differ from those of other policies. */
const WILDCARD_MENTION_POLICY = {
  everyone: 1,
  members: 2,
  fullMembers: 3,
  admins: 5,
  nobody: 6,
  moderators: 7,
} as const;

function mayPostToStream({ stream_post_policy: policy }: Stream): boolean {
  const { me } = core.state;
  if (policy === STREAM_POST_POLICY.admins) return me.isAdmin;
  if (policy === STREAM_POST_POLICY.moderators) return me.role <= ROLE.moderator;
  if (policy === STREAM_POST_POLICY.fullMembers) return me.isFullMember;
  return true;
}

/** @returns the reason why the user can't write there; undefined if they can */
export function findSendRefusalText(to: Conversation | undefined): string | undefined {
  if (to === undefined) return undefined;
  const { people, streams, realm, me } = core.state;
  if ('users' in to) {
    const all = to.users.map((id) => people.byId.value.get(id));
    const gone = all.find((person) => person?.is_active === false);
    if (gone) return t('compose.refused-deactivated', { name: gone.full_name });
    const isOff = realm.value.realm_private_message_policy === DIRECT_MESSAGES_OFF_POLICY;
    if (isOff && all.some((person) => person?.user_id !== me.id && !person?.is_bot)) return t('compose.refused-direct');
    return undefined;
  }
  const stream = streams.byId.value.get(to.stream);
  if (!stream) return t('compose.refused-unknown');
  if (mayPostToStream(stream)) return undefined;
  const isForFullMembers = stream.stream_post_policy === STREAM_POST_POLICY.fullMembers;
  return t(isForFullMembers ? 'compose.refused-new' : 'compose.refused-read-only');
}

/** Whether the topic is missing and the organization requires one. */
export const lacksMandatoryTopic = (to: Conversation): boolean =>
  'stream' in to && to.topic === NO_TOPIC_NAME && core.state.realm.value.realm_mandatory_topics === true;

/** Whether the user may mention everyone in a stream of many subscribers. */
export function mayMentionAllInLargeStreams(): boolean {
  const { me, realm } = core.state;
  switch (realm.value.realm_wildcard_mention_policy) {
    case WILDCARD_MENTION_POLICY.everyone:
      return true;
    case WILDCARD_MENTION_POLICY.members:
      return !me.isGuest;
    case WILDCARD_MENTION_POLICY.fullMembers:
      return me.isFullMember;
    case WILDCARD_MENTION_POLICY.moderators:
      return me.role <= ROLE.moderator;
    case WILDCARD_MENTION_POLICY.nobody:
      return false;
    default:
      return me.isAdmin;
  }
}
