/** Sections about users, bots and presence (register.md § fetch_event_types). */

import { VISITOR_ACCOUNT } from '#actors/shared';
import { EncodedJson, type JsonObject, memoizeByObject, type ResponseFields } from '#base';
import {
  avatarUrlOfUser,
  findSystemBotOrTemplate,
  formatBotWithSealedSecrets,
  formatUserForApi,
  getEncodedUserList,
  isAdminOrOwner,
  isAllowedByPolicy,
  isExactlyModerator,
  isGuest,
  isOwner,
  seesBot,
  withoutBotSecrets,
  withUnsealedBotSecrets,
} from '#domain/people';
import { presenceReplicaOfDirectory, toServerTimestampSeconds } from '#domain/presence';
import { areWebPublicStreamsEnabled } from '#domain/streams';
import type { RealmPolicyName } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { RegistrationSnapshotInputs } from './inputs.js';

const CROSS_REALM_BOT_NAMES = ['notification', 'welcome', 'email-gateway'] as const;

/** System bots as viewers of a role see them, encoded once per change of an account. */
const encodedCrossRealmBotsByRole = memoizeByObject(
  (_directory: DirectoryView) => new Map<number, EncodedJson>(),
  ({ usersVersion }) => usersVersion,
);

function encodeCrossRealmBots(directory: DirectoryView, viewer: DirectoryUser): EncodedJson {
  const known = encodedCrossRealmBotsByRole(directory);
  let encoded = known.get(viewer.role);
  if (!encoded) {
    const bots = CROSS_REALM_BOT_NAMES.map((name) =>
      formatUserForApi(findSystemBotOrTemplate(directory, name), viewer, { clientGravatar: false }),
    );
    encoded = EncodedJson.fromJsonText(JSON.stringify(bots));
    known.set(viewer.role, encoded);
  }
  return encoded;
}

/** Section `realm_user`: all users, and the roles and permissions of the user. */
export function makeRealmUsersSnapshotSection({
  user,
  directory,
  args,
  nowMs,
}: RegistrationSnapshotInputs): ResponseFields {
  const { settings } = directory;
  const isVisitor = user.id === VISITOR_ACCOUNT.id;
  const options = {
    clientGravatar: args.options.clientGravatar,
    profile: !isVisitor,
    withoutActive: true,
    web: isVisitor,
  };
  // The capability lets the server leave out avatars of users who are long idle: it does so for deactivated users.
  const withoutAvatar = args.options.capabilities.user_avatar_url_field_optional;
  const may = (policy: RealmPolicyName): boolean => isAllowedByPolicy(settings[policy], user, settings, nowMs);
  const publicStreams = may('create_public_stream_policy');
  const privateStreams = may('create_private_stream_policy');
  const webPublicStreams =
    areWebPublicStreamsEnabled(args.webPublicStreams, settings) && may('create_web_public_stream_policy');
  return {
    realm_users: getEncodedUserList(directory, user, { ...options, active: true }),
    realm_non_active_users: getEncodedUserList(directory, user, { ...options, active: false, withoutAvatar }),
    cross_realm_bots: encodeCrossRealmBots(directory, user),
    avatar_source: user.avatarSource,
    avatar_url: avatarUrlOfUser(user),
    avatar_url_medium: avatarUrlOfUser(user, 'medium'),
    can_create_private_streams: privateStreams,
    can_create_public_streams: publicStreams,
    can_create_web_public_streams: webPublicStreams,
    can_create_streams: privateStreams || publicStreams || webPublicStreams,
    can_subscribe_other_users: may('invite_to_stream_policy'),
    can_invite_others_to_realm: may('invite_to_realm_policy'),
    is_admin: isAdminOrOwner(user),
    is_owner: isOwner(user),
    is_moderator: isExactlyModerator(user),
    is_guest: isGuest(user),
    is_billing_admin: user.isBillingAdmin,
    user_id: user.id,
    email: user.email,
    delivery_email: user.deliveryEmail,
    full_name: user.fullName,
  };
}

/** Section `realm_bot`: the bots that the user sees. The web client gets no secrets. */
export function makeBotsSnapshotSection({
  user,
  directory,
  args,
  tryUnsealText,
  botsWithUnreadableKey,
}: RegistrationSnapshotInputs): JsonObject {
  const realm_bots: JsonObject[] = [];
  for (const bot of directory.bots()) {
    const account = directory.user(bot.user);
    if (!account || !seesBot(user, account)) continue;
    const fields = formatBotWithSealedSecrets(account, bot, (id) => directory.stream(id));
    if (args.options.withoutBotSecrets) {
      realm_bots.push(withoutBotSecrets(fields));
      continue;
    }
    realm_bots.push(
      withUnsealedBotSecrets(fields, (sealed) => {
        const text = tryUnsealText(sealed);
        if (text === undefined) botsWithUnreadableKey.add(bot);
        return text;
      }),
    );
  }
  return { realm_bots };
}

/** Section `presence`: users who were online lately. All registrations within a short time share the encoded list. */
export const makePresenceSnapshotSection = ({
  directory,
  args,
  nowMs,
}: RegistrationSnapshotInputs): ResponseFields => ({
  presences: presenceReplicaOfDirectory(directory).getOrEncodeList(
    args.options.slimPresence ? 'slim' : 'legacy',
    nowMs,
  ),
  server_timestamp: toServerTimestampSeconds(nowMs),
});

export const makeEmptyPresenceSnapshotSection = ({ nowMs }: RegistrationSnapshotInputs): ResponseFields => ({
  presences: {},
  server_timestamp: toServerTimestampSeconds(nowMs),
});
