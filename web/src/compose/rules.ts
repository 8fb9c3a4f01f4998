import { core } from '../client/index.js';
import { type Conversation, ROLE, type Stream } from '../core/index.js';
import { NO_TOPIC } from './composer.js';

type Refusal = `compose.refused-${'deactivated' | 'direct' | 'unknown' | 'new' | 'read-only'}`;

/** Values of a stream's posting policy. */
const POST = { admins: 2, fullMembers: 3, moderators: 4 } as const;

/** Direct messages are switched off by this value, except to bots. */
const DIRECT_OFF = 2;

/** Wildcard mentions are free in streams of up to this many subscribers. */
export const MANY_SUBSCRIBERS = 15;

/** Values of the policy of wildcard mentions, which has numbers of its own. */
const WILDCARD = { everyone: 1, members: 2, fullMembers: 3, admins: 5, nobody: 6, moderators: 7 } as const;

function mayPost({ stream_post_policy: policy }: Stream): boolean {
  const { me } = core.state;
  if (policy === POST.admins) return me.isAdmin;
  if (policy === POST.moderators) return me.role <= ROLE.moderator;
  if (policy === POST.fullMembers) return me.isFull;
  return true;
}

/** @returns the reason for which nothing can be written there; undefined for a conversation that takes messages */
export function refusalOf(to: Conversation | undefined): Refusal | undefined {
  if (to === undefined) return undefined;
  const { people, streams, realm, me } = core.state;
  if ('users' in to) {
    const all = to.users.map((id) => people.byId.value.get(id));
    if (all.some((person) => person?.is_active === false)) return 'compose.refused-deactivated';
    const isOff = realm.value.realm_private_message_policy === DIRECT_OFF;
    if (isOff && all.some((person) => person?.user_id !== me.id && !person?.is_bot)) return 'compose.refused-direct';
    return undefined;
  }
  const stream = streams.byId.value.get(to.stream);
  if (!stream) return 'compose.refused-unknown';
  if (mayPost(stream)) return undefined;
  return stream.stream_post_policy === POST.fullMembers ? 'compose.refused-new' : 'compose.refused-read-only';
}

/** Whether the organization wants a topic that is not there. */
export const lacksTopic = (to: Conversation): boolean =>
  'stream' in to && to.topic === NO_TOPIC && core.state.realm.value.realm_mandatory_topics === true;

/** Whether the user may mention everyone in a stream of many subscribers. */
export function mayMentionAll(): boolean {
  const { me, realm } = core.state;
  switch (realm.value.realm_wildcard_mention_policy) {
    case WILDCARD.everyone:
      return true;
    case WILDCARD.members:
      return !me.isGuest;
    case WILDCARD.fullMembers:
      return me.isFull;
    case WILDCARD.moderators:
      return me.role <= ROLE.moderator;
    case WILDCARD.nobody:
      return false;
    default:
      return me.isAdmin;
  }
}
