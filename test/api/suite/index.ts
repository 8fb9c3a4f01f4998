/** The families of facts, in the order in which they run. */
import { botStorage } from './bots/bot-storage.js';
import { bots } from './bots/bots.js';
import { botsEverywhere } from './bots/bots-everywhere.js';
import { botsInGroups } from './bots/bots-in-groups.js';
import { changingBots } from './bots/changing-bots.js';
import { deactivatingBots } from './bots/deactivating-bots.js';
import { incomingWebhooks } from './bots/incoming-webhooks.js';
import { keysInBrowsers } from './bots/keys-in-browsers.js';
import { outgoingWebhooks } from './bots/outgoing-webhooks.js';
import { ownedBots } from './bots/owned-bots.js';
import { activityState } from './events/activity-state.js';
import { audiences } from './events/audiences.js';
import { queueCapabilities } from './events/queue-capabilities.js';
import { queueContents } from './events/queue-contents.js';
import { queues } from './events/queues.js';
import { registering } from './events/registering.js';
import { registeringAgain } from './events/registering-again.js';
import { roleState } from './events/role-state.js';
import { state } from './events/state.js';
import { stateChanges } from './events/state-changes.js';
import { authentication } from './every-operation/authentication.js';
import { deactivatedAccount } from './every-operation/deactivated-account.js';
import { everyChange } from './every-operation/every-change.js';
import { everyRole } from './every-operation/every-role/every-role.js';
import { roles } from './every-operation/roles.js';
import type { Facts } from './facts.js';
import { fileAccess } from './files/file-access.js';
import { fileAttacks } from './files/file-attacks.js';
import { fileServing } from './files/file-serving.js';
import { fileVisitors } from './files/file-visitors.js';
import { files } from './files/files.js';
import { thumbnails } from './files/thumbnails.js';
import { invitations } from './invitations/invitations.js';
import { joining } from './invitations/joining.js';
import { signingUp } from './invitations/signing-up.js';
import { everyNewerRole } from './levels/every-newer-role.js';
import { followedTopics } from './levels/followed-topics.js';
import { mobileApp } from './levels/mobile-app.js';
import { newerForms } from './levels/newer-forms.js';
import { newerMentions } from './levels/newer-mentions.js';
import { newerNarrows } from './levels/newer-narrows.js';
import { newerOperations } from './levels/newer-operations.js';
import { oneAccount } from './levels/one-account.js';
import { permissionGroups } from './levels/permission-groups.js';
import { savedSnippets } from './levels/saved-snippets.js';
import { deleting } from './messages/deleting.js';
import { drafts } from './messages/drafts.js';
import { editing } from './messages/editing.js';
import { externalPictures } from './messages/external-pictures.js';
import { fetching } from './messages/fetching.js';
import { fetchingAfterChanges } from './messages/fetching-after-changes.js';
import { linkPreviews } from './messages/link-previews.js';
import { marking } from './messages/marking.js';
import { moving } from './messages/moving.js';
import { movingStreams } from './messages/moving-streams.js';
import { narrows } from './messages/narrows.js';
import { reactionRefusals } from './messages/reaction-refusals.js';
import { reactions } from './messages/reactions.js';
import { readReceipts } from './messages/read-receipts.js';
import { reading } from './messages/reading.js';
import { rendering } from './messages/rendering.js';
import { scheduled } from './messages/scheduled.js';
import { scheduledRefusals } from './messages/scheduled-refusals.js';
import { searching } from './messages/searching.js';
import { sending } from './messages/sending.js';
import { sendingRefusals } from './messages/sending-refusals.js';
import { submessages } from './messages/submessages.js';
import { typing } from './messages/typing.js';
import { windows } from './messages/windows.js';
import { digestByMail } from './notifications/digest-by-mail.js';
import { missedByMail } from './notifications/missed-by-mail.js';
import { dataExports } from './organization/data-exports.js';
import { domains } from './organization/domains.js';
import { emoji } from './organization/emoji.js';
import { linkifiers } from './organization/linkifiers.js';
import { newOrganizations } from './organization/new-organizations.js';
import { organizationPictures } from './organization/organization-pictures.js';
import { organizationSettings } from './organization/organization-settings.js';
import { realmActivity } from './organization/realm-activity.js';
import { avatarAddresses } from './people/avatar-addresses.js';
import { avatars } from './people/avatars.js';
import { browserPushes } from './people/browser-pushes.js';
import { changingAccounts } from './people/changing-accounts.js';
import { deactivating } from './people/deactivating.js';
import { endsOfSessions } from './people/ends-of-sessions.js';
import { forgottenPasswords } from './people/forgotten-passwords.js';
import { languages } from './people/languages.js';
import { lookingUp } from './people/looking-up.js';
import { newcomers } from './people/newcomers.js';
import { newestMessage } from './people/newest-message.js';
import { ownAccount } from './people/own-account.js';
import { ownKeys } from './people/own-keys.js';
import { people } from './people/people.js';
import { preferences } from './people/preferences.js';
import { presence } from './people/presence.js';
import { profileByAdmins } from './people/profile-by-admins.js';
import { profileData } from './people/profile-data.js';
import { profileFieldChanges } from './people/profile-field-changes.js';
import { profileFields } from './people/profile-fields.js';
import { settings } from './people/settings.js';
import { settingsDefaults } from './people/settings-defaults.js';
import { systemBots } from './people/system-bots.js';
import { userGroups } from './people/user-groups.js';
import { tutorial, userStatus } from './people/user-status.js';
import { webSessions } from './people/web-sessions.js';
import { apiLevels } from './server/api-levels.js';
import { frontend } from './server/frontend.js';
import { restart } from './server/restart.js';
import { serverFacts } from './server/server-facts.js';
import { changingStreams } from './streams/changing-streams.js';
import { deactivatedStreams } from './streams/deactivated-streams.js';
import { leaving } from './streams/leaving.js';
import { sendingAfterJoining } from './streams/sending-after-joining.js';
import { streamGroups } from './streams/stream-groups.js';
import { streamSettings } from './streams/stream-settings.js';
import { subscribing } from './streams/subscribing.js';
import { subscribingRefusals } from './streams/subscribing-refusals.js';
import { userTopics } from './streams/user-topics.js';
import { hiddenAddresses } from './visibility/hidden-addresses.js';
import { visibility } from './visibility/visibility.js';
import { visibilityEvents } from './visibility/visibility-events.js';
import { visibilityTables } from './visibility/visibility-tables.js';
import { visiting } from './visibility/visiting.js';

export const SUITE: Readonly<Record<string, Facts>> = {
  authentication,
  'the frontend': frontend,
  'addresses that are hidden': hiddenAddresses,
  roles,
  'every role': everyRole,
  people,
  'fetching after changes': fetchingAfterChanges,
  'registering again': registeringAgain,
  languages,
  newcomers,
  'changing accounts': changingAccounts,
  deactivating,
  'deactivated subscribers': deactivatedStreams,
  'deactivated bots': ownedBots,
  'deactivated organizations': realmActivity,
  'snapshot and events of roles': roleState,
  'snapshot and events of activity': activityState,
  'deactivated account': deactivatedAccount,
  'looking up': lookingUp,
  sending,
  'refusals of sending': sendingRefusals,
  rendering,
  'pictures of other hosts': externalPictures,
  'link previews': linkPreviews,
  'data exports': dataExports,
  fetching,
  editing,
  deleting,
  moving,
  'moving between streams': movingStreams,
  reactions,
  'refusals of reactions': reactionRefusals,
  submessages,
  'narrows of newer levels': newerNarrows,
  'mentions of newer levels': newerMentions,
  'requests of newer levels': newerForms,
  'requests of newer levels by every role': everyNewerRole,
  'operations of newer levels': newerOperations,
  'the mobile app': mobileApp,
  'permission groups of newer levels': permissionGroups,
  'one account at two levels': oneAccount,
  'saved snippets': savedSnippets,
  'followed topics': followedTopics,
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
  'sending after joining': sendingAfterJoining,
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
  'newest message': newestMessage,
  'own account': ownAccount,
  'own keys': ownKeys,
  "the web client's sessions": webSessions,
  "ends of the web client's sessions": endsOfSessions,
  'push notifications of browsers': browserPushes,
  'forgotten passwords': forgottenPasswords,
  'defaults of settings': settingsDefaults,
  'alert words and mutes': preferences,
  'organization settings': organizationSettings,
  'new organizations': newOrganizations,
  'server information': serverFacts,
  'API levels': apiLevels,
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
  'missed messages by mail': missedByMail,
  'weekly digest by mail': digestByMail,
  'refusals of scheduling': scheduledRefusals,
  'snapshot and events': state,
  'snapshot and events of changes': stateChanges,
  'every change': everyChange,
  'uploaded files': files,
  'access to files': fileAccess,
  'files as they are served': fileServing,
  thumbnails,
  'files that are attacks': fileAttacks,
  'files on the web': fileVisitors,
  'custom emoji': emoji,
  bots,
  'changing bots': changingBots,
  'keys of bots in browsers': keysInBrowsers,
  'bots everywhere': botsEverywhere,
  'deactivating bots': deactivatingBots,
  'incoming webhooks': incomingWebhooks,
  'outgoing webhooks': outgoingWebhooks,
  'bot storage': botStorage,
  avatars,
  'addresses of avatars': avatarAddresses,
  'organization pictures': organizationPictures,
  restart,
};

/**
 * Families about HTTP, checks of arguments and presentation: frontend code that is the same on both faces, and refusals
 * that commit nothing. `npm test` runs them on the embedded face, `npm run test:long` on both. Families that commit, or
 * read the store, the bus, the log, the blobs or the placement, run on both faces in every run.
 */
export const ONE_FACE: ReadonlySet<string> = new Set([
  'the frontend',
  'refusals of sending',
  'refusals of reactions',
  'refusals of subscribing',
  'refusals of scheduling',
  'rendering',
  'pictures of other hosts',
  'server information',
  'files that are attacks',
  'addresses of avatars',
]);

/**
 * Families whose facts depend on the bus, the store, the log, the blobs or the placement: commands that call other
 * actors, deliver events, read what another host wrote, or survive a restart; and those about rights. They run
 * on the cluster in every run.
 */
export const BOTH_FACES: ReadonlySet<string> = new Set([
  'keys of bots in browsers',
  'authentication',
  'every role',
  'visibility of events',
  'fetching after changes',
  'registering again',
  'snapshot and events',
  'sending',
  'moving between streams',
  'searching',
  'queues',
  'contents of queues',
  'audiences',
  'subscribing',
  'sending after joining',
  'newest message',
  'scheduled messages',
  'uploaded files',
  'new organizations',
  'restart',
]);

/**
 * Families whose commands call actors and deliver events as those of `BOTH_FACES` do, or whose facts are about mails or
 * pushes: code above the ports, which is the same on both faces. A seed picks a third of them for the cluster. Of the
 * families that are in none of the sets it picks a tenth, because their commands commit in one actor. The adapters
 * below all of them have contract tests.
 */
export const OFTEN_ON_BOTH_FACES: ReadonlySet<string> = new Set([
  'snapshot and events of changes',
  'snapshot and events of roles',
  'fetching',
  'editing',
  'windows',
  'marking',
  'own keys',
  'forgotten passwords',
  'presence',
  'typing',
  'missed messages by mail',
  'weekly digest by mail',
  'outgoing webhooks',
  'push notifications of browsers',
  'invitations',
  'newcomers',
]);
