/** fetch_event_types `realm_user`: everybody, and what the user is and may do (register.md). */

import { VISITOR } from '#actors/shared';
import type { Fields } from '#base';
import {
  avatarUrl,
  encodedUsers,
  isAdmin,
  isGuest,
  isModerator,
  isOwner,
  policyAllows,
  presentUser,
  systemBot,
} from '#domain/people';
import { webPublicEnabled } from '#domain/streams';
import type { RealmPolicyName } from '#model';
import type { SnapshotInputs } from './take.js';

const SYSTEM_BOTS = ['notification', 'welcome', 'email-gateway'] as const;

export function userSections({ user, directory, args, now }: SnapshotInputs): Fields {
  const { settings } = directory;
  const isVisitor = user.id === VISITOR.id;
  const options = {
    clientGravatar: args.options.clientGravatar,
    profile: !isVisitor,
    withoutActive: true,
    web: isVisitor,
  };
  // Nobody has been idle for longer than those who may not come.
  const withoutAvatar = args.options.capabilities.user_avatar_url_field_optional;
  const may = (policy: RealmPolicyName): boolean => policyAllows(settings[policy], user, settings, now);
  const publicStreams = may('create_public_stream_policy');
  const privateStreams = may('create_private_stream_policy');
  const webPublicStreams = webPublicEnabled(args.webPublicStreams, settings) && may('create_web_public_stream_policy');
  return {
    realm_users: encodedUsers(directory, user, { ...options, active: true }),
    realm_non_active_users: encodedUsers(directory, user, { ...options, active: false, withoutAvatar }),
    cross_realm_bots: SYSTEM_BOTS.map((name) =>
      presentUser(systemBot(directory, name), user, { clientGravatar: false }),
    ),
    avatar_source: user.avatarSource,
    avatar_url: avatarUrl(user),
    avatar_url_medium: avatarUrl(user, 'medium'),
    can_create_private_streams: privateStreams,
    can_create_public_streams: publicStreams,
    can_create_web_public_streams: webPublicStreams,
    can_create_streams: privateStreams || publicStreams || webPublicStreams,
    can_subscribe_other_users: may('invite_to_stream_policy'),
    can_invite_others_to_realm: may('invite_to_realm_policy'),
    is_admin: isAdmin(user),
    is_owner: isOwner(user),
    is_moderator: isModerator(user),
    is_guest: isGuest(user),
    is_billing_admin: user.isBillingAdmin,
    user_id: user.id,
    email: user.email,
    delivery_email: user.deliveryEmail,
    full_name: user.fullName,
  };
}
