/** The families of facts, in the order in which they run. */
import { activityState } from './activity-state.js';
import { audiences } from './audiences.js';
import { authentication } from './authentication.js';
import { avatarAddresses } from './avatar-addresses.js';
import { avatars } from './avatars.js';
import { botStorage } from './bot-storage.js';
import { bots } from './bots.js';
import { botsEverywhere } from './bots-everywhere.js';
import { botsInGroups } from './bots-in-groups.js';
import { changingAccounts } from './changing-accounts.js';
import { changingBots } from './changing-bots.js';
import { changingStreams } from './changing-streams.js';
import { choices } from './choices.js';
import { deactivatedStreams } from './deactivated-streams.js';
import { deactivating } from './deactivating.js';
import { deactivatingBots } from './deactivating-bots.js';
import { deleting } from './deleting.js';
import { domains } from './domains.js';
import { drafts } from './drafts.js';
import { editing } from './editing.js';
import { emoji } from './emoji.js';
import { everyChange } from './every-change.js';
import { everyRole } from './every-role.js';
import type { Facts } from './facts.js';
import { fetching } from './fetching.js';
import { fileAccess } from './file-access.js';
import { fileAttacks } from './file-attacks.js';
import { fileServing } from './file-serving.js';
import { fileVisitors } from './file-visitors.js';
import { files } from './files.js';
import { frontend } from './frontend.js';
import { hiddenAddresses } from './hidden-addresses.js';
import { invitations } from './invitations.js';
import { joining } from './joining.js';
import { leaving } from './leaving.js';
import { linkifiers } from './linkifiers.js';
import { lookingUp } from './looking-up.js';
import { marking } from './marking.js';
import { moving } from './moving.js';
import { movingStreams } from './moving-streams.js';
import { narrows } from './narrows.js';
import { newOrganizations } from './new-organizations.js';
import { newcomers } from './newcomers.js';
import { organizationPictures } from './organization-pictures.js';
import { organizationSettings } from './organization-settings.js';
import { outgoingWebhooks } from './outgoing-webhooks.js';
import { ownAccount } from './own-account.js';
import { ownKeys } from './own-keys.js';
import { ownedBots } from './owned-bots.js';
import { people } from './people.js';
import { presence } from './presence.js';
import { profileByAdmins } from './profile-by-admins.js';
import { profileData } from './profile-data.js';
import { profileFieldChanges } from './profile-field-changes.js';
import { profileFields } from './profile-fields.js';
import { queueCapabilities } from './queue-capabilities.js';
import { queueContents } from './queue-contents.js';
import { queues } from './queues.js';
import { reactionRefusals } from './reaction-refusals.js';
import { reactions } from './reactions.js';
import { readReceipts } from './read-receipts.js';
import { reading } from './reading.js';
import { realmActivity } from './realm-activity.js';
import { registering } from './registering.js';
import { rendering } from './rendering.js';
import { restart } from './restart.js';
import { roleState } from './role-state.js';
import { roles } from './roles.js';
import { scheduled } from './scheduled.js';
import { scheduledRefusals } from './scheduled-refusals.js';
import { searching } from './searching.js';
import { sending } from './sending.js';
import { sendingRefusals } from './sending-refusals.js';
import { serverFacts } from './server-facts.js';
import { settings } from './settings.js';
import { settingsDefaults } from './settings-defaults.js';
import { shutOut } from './shut-out.js';
import { signingUp } from './signing-up.js';
import { state } from './state.js';
import { stateChanges } from './state-changes.js';
import { streamGroups } from './stream-groups.js';
import { streamSettings } from './stream-settings.js';
import { submessages } from './submessages.js';
import { subscribing } from './subscribing.js';
import { subscribingRefusals } from './subscribing-refusals.js';
import { systemBots } from './system-bots.js';
import { typing } from './typing.js';
import { userGroups } from './user-groups.js';
import { tutorial, userStatus } from './user-status.js';
import { userTopics } from './user-topics.js';
import { visibility } from './visibility.js';
import { visibilityEvents } from './visibility-events.js';
import { visibilityTables } from './visibility-tables.js';
import { visiting } from './visiting.js';
import { windows } from './windows.js';

export const SUITE: Readonly<Record<string, Facts>> = {
  authentication,
  'the frontend': frontend,
  'addresses that are hidden': hiddenAddresses,
  roles,
  'every role': everyRole,
  people,
  newcomers,
  'changing accounts': changingAccounts,
  deactivating,
  'deactivated subscribers': deactivatedStreams,
  'deactivated bots': ownedBots,
  'deactivated organizations': realmActivity,
  'snapshot and events of roles': roleState,
  'snapshot and events of activity': activityState,
  'who is shut out': shutOut,
  'looking up': lookingUp,
  sending,
  'refusals of sending': sendingRefusals,
  rendering,
  fetching,
  editing,
  deleting,
  moving,
  'moving between streams': movingStreams,
  reactions,
  'refusals of reactions': reactionRefusals,
  submessages,
  'read receipts': readReceipts,
  windows,
  narrows,
  searching,
  reading,
  marking,
  registering,
  queues,
  'contents of queues': queueContents,
  'capabilities of queues': queueCapabilities,
  subscribing,
  'refusals of subscribing': subscribingRefusals,
  visiting,
  leaving,
  'changing streams': changingStreams,
  'settings of subscriptions': streamSettings,
  'default stream groups': streamGroups,
  visibility,
  'visibility tables': visibilityTables,
  'visibility of events': visibilityEvents,
  audiences,
  drafts,
  settings,
  'own account': ownAccount,
  'own keys': ownKeys,
  'defaults of settings': settingsDefaults,
  'alert words and mutes': choices,
  'organization settings': organizationSettings,
  'new organizations': newOrganizations,
  'facts of the server': serverFacts,
  domains,
  invitations,
  'joining by invitation': joining,
  'signing up': signingUp,
  'linkifiers and playgrounds': linkifiers,
  'profile fields': profileFields,
  'changes of profile fields': profileFieldChanges,
  'profile data': profileData,
  'profiles set by administrators': profileByAdmins,
  'user groups': userGroups,
  'bots in groups': botsInGroups,
  'system bots': systemBots,
  'user topics': userTopics,
  typing,
  presence,
  'status of users': userStatus,
  'hints for new users': tutorial,
  'scheduled messages': scheduled,
  'refusals of scheduling': scheduledRefusals,
  'snapshot and events': state,
  'snapshot and events of changes': stateChanges,
  'every change': everyChange,
  'uploaded files': files,
  'who may see files': fileAccess,
  'files as they are served': fileServing,
  'files that are attacks': fileAttacks,
  'files on the web': fileVisitors,
  'custom emoji': emoji,
  bots,
  'changing bots': changingBots,
  'bots everywhere': botsEverywhere,
  'deactivating bots': deactivatingBots,
  'outgoing webhooks': outgoingWebhooks,
  'bot storage': botStorage,
  avatars,
  'addresses of avatars': avatarAddresses,
  'organization pictures': organizationPictures,
  restart,
};
