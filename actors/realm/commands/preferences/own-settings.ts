/**
 * PATCH /settings (users.md § Settings): changes a user's own settings. The frontend has checked the values; the
 * directory stores them, so that every replica has them.
 */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { computeUserSetting } from '#domain/people';
import {
  findInterfaceLanguageName,
  isAccountFieldSetting,
  type LogItem,
  toRealmId,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  type UserSettingName,
  type UserSettings,
  type UserSettingValue,
  userActorKey,
} from '#model';
import {
  type ChangeOwnSettingsArgs,
  makeOutboxCommand,
  type OutboxCommand,
  type realmActorCommands,
  userActorCommands,
} from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import {
  fromFirstLevelOfSetting,
  makeDirectoryLogItem,
  makeEveryoneEventLogItem,
  makeUserEventLogItem,
} from '../../log-items.js';
import {
  encodeDirectoryRecord,
  listUserRecords,
  type RealmActorState,
  readPreferencesRecord,
  USER_PART_PREFIX,
} from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';
import {
  loadOwnAccountChangeInputs,
  makeOwnAccountChangeOutcome,
  type OwnAccountChangeInputs,
  type OwnAccountChangeOutcome,
} from '../accounts/own-account.js';
import { makeEmailVisibilityChangedEvents } from '../accounts/person-events.js';
import { makeApiEmailOfHiddenAddress } from '../accounts/user-record.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmActorView, type RealmCommandHandler } from '../command.js';
import { makePreferencesWithStatus, makeStoredPreferencesChanges } from './preferences.js';
import { makePresenceSwitchCommit } from './presence-switch.js';

/** PATCH /settings with settings only: such requests need no inputs, so they never wait. */
export const updateOwnSettingsHandler: RealmCommandHandler<typeof realmActorCommands.changeSettings> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle: (view, args, _inputs, context) => makeOwnSettingsChangeOutcome(view, args, context, undefined),
};

/**
 * PATCH /settings with a name, password or address, perhaps among settings. The inputs of such a request may wait for
 * the user actor.
 */
export const updateOwnAccountAndSettingsHandler: RealmCommandHandler<
  typeof realmActorCommands.changeOwnAccount,
  OwnAccountChangeInputs
> = {
  lane: 'account',
  inputs: ({ account }, context, sources) => loadOwnAccountChangeInputs(account, context, sources),
  handle: (view, args, inputs, context) =>
    makeOwnSettingsChangeOutcome(view, args, context, (user) =>
      makeOwnAccountChangeOutcome(user, args.account, inputs, view, context),
    ),
};

function makeOwnSettingsChangeOutcome(
  { parts, volatile }: RealmActorView,
  { values, domain }: ChangeOwnSettingsArgs,
  context: CommandContext,
  changeOf: ((user: DirectoryUser) => OwnAccountChangeOutcome) | undefined,
): CommandOutcome<RealmActorState> {
  const { caller, realm, version } = context;
  const before = getActingUserOrThrow(parts, caller);
  const account = changeOf?.(before);
  const preferences = readPreferencesRecord(parts, caller);
  const names = USER_SETTING_NAMES.filter(
    (name) => values[name] !== undefined && values[name] !== computeUserSetting(before, preferences.settings, name),
  );
  const user = makeAccountWithChangedSettings(account?.user ?? before, values, domain, volatile);
  const events: LogItem[] = [];
  const written: Record<string, Json> = { ...account?.parts };
  if (user !== before) {
    reindexChangedApiEmail(volatile, before, user);
    written[`${USER_PART_PREFIX}${user.id}`] = encodeDirectoryRecord(user);
    events.push(makeDirectoryLogItem({ user }));
  }
  const chosen = mergeNonDefaultSettings(preferences.settings, names, values);
  const presence = names.includes('presence_enabled')
    ? makePresenceSwitchCommit(user, preferences.status, values.presence_enabled === true, context)
    : undefined;
  if (chosen !== preferences.settings) {
    const stored = makeStoredPreferencesChanges(
      makePreferencesWithStatus({ ...preferences, settings: chosen }, presence?.status ?? preferences.status),
    );
    Object.assign(written, stored.parts);
    events.push(stored.change);
  }
  for (const name of names) {
    events.push(...makeUserSettingEvents(user.id, name, values[name]!));
    if (name === 'presence_enabled') events.push(...presence!.events);
    if (name === 'email_address_visibility')
      events.push(...makeEmailVisibilityChangedEvents(before, user, listUserRecords(parts), version));
    if (name === 'timezone') {
      const person = { user_id: user.id, email: user.email, timezone: user.timezone };
      events.push(makeEveryoneEventLogItem(version, { type: 'realm_user', op: 'update', person }));
    }
  }
  events.push(...(account?.events ?? []));
  const commands: OutboxCommand[] = [...(account?.commands ?? []), ...(presence?.commands ?? [])];
  const commandToUser = (name: typeof userActorCommands.dropDrafts | typeof userActorCommands.mailPeriodChanged) =>
    makeOutboxCommand({ to: userActorKey(toRealmId(realm), user.id), name, args: {}, caller: user.id, after: version });
  if (names.includes('enable_drafts_synchronization') && values.enable_drafts_synchronization === false)
    commands.push(commandToUser(userActorCommands.dropDrafts));
  if (names.includes('email_notifications_batching_period_seconds'))
    commands.push(commandToUser(userActorCommands.mailPeriodChanged));
  return {
    reply: makeSuccessReply(undefined, events.some(({ t }) => t === 'directory') ? version : undefined),
    parts: written,
    events,
    ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
  };
}

/** The account with the changed settings that are stored in the account itself. */
function makeAccountWithChangedSettings(
  user: DirectoryUser,
  {
    timezone = user.timezone,
    email_address_visibility: emailVisibility = user.emailVisibility,
  }: ChangeOwnSettingsArgs['values'],
  domain: string,
  volatile: RealmMemoryState,
): DirectoryUser {
  if (timezone === user.timezone && emailVisibility === user.emailVisibility) return user;
  // An account with a hidden address keeps its substitute address until its real one is visible again.
  const hidden = user.emailVisibility === 1 ? makeApiEmailOfHiddenAddress(user.id, domain, volatile) : user.email;
  const email = emailVisibility === 1 ? user.deliveryEmail : hidden;
  return { ...user, timezone, emailVisibility, email };
}

function reindexChangedApiEmail(volatile: RealmMemoryState, before: DirectoryUser, after: DirectoryUser): void {
  if (before.email === after.email) return;
  volatile.unindexEmail(before.email);
  volatile.indexUserEmails(after.id, after.email, after.deliveryEmail);
}

/** The user's settings that differ from the defaults; the same object if nothing changes. */
function mergeNonDefaultSettings(
  before: Partial<UserSettings>,
  changed: readonly UserSettingName[],
  values: ChangeOwnSettingsArgs['values'],
): Partial<UserSettings> {
  const own = changed.filter((name) => !isAccountFieldSetting(name));
  if (own.length === 0) return before;
  const after: Record<string, UserSettingValue> = { ...before };
  for (const name of own) {
    if (values[name] === USER_SETTING_DECLARATIONS[name].default) delete after[name];
    else after[name] = values[name]!;
  }
  return after;
}

/** Events of one setting: the modern one, then the one for clients without `user_settings_object`. */
function makeUserSettingEvents(user: number, name: UserSettingName, value: UserSettingValue): LogItem[] {
  const language = name === 'default_language' ? { language_name: findInterfaceLanguageName(String(value)) } : {};
  const events = [
    fromFirstLevelOfSetting(
      name,
      makeUserEventLogItem(user, { type: 'user_settings', op: 'update', property: name, value, ...language }),
    ),
  ];
  const { group } = USER_SETTING_DECLARATIONS[name];
  if (group === 'display') {
    events.push(
      makeUserEventLogItem(user, { type: 'update_display_settings', setting_name: name, setting: value, ...language }),
    );
  }
  if (group === 'notification') {
    events.push(
      makeUserEventLogItem(user, { type: 'update_global_notifications', notification_name: name, setting: value }),
    );
  }
  return events;
}
