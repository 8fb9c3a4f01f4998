/**
 * PATCH /settings (users.md § Settings): changes a user's own settings. The frontend has checked the values; the
 * directory stores them, so that every replica has them.
 */

import { successReply } from '#actors/shared';
import type { Json } from '#base';
import { computeUserSetting } from '#domain/people';
import {
  isAccountField,
  LANGUAGES,
  type LogItem,
  realmId,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
  type UserSettingValue,
  userKey,
} from '#model';
import {
  type ChangeSettingsArgs,
  type OutboxCommand,
  outboxCommand,
  type realmCommands,
  userCommands,
} from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { directoryLogItem, everyoneEventItem, userEventItem } from '../../log-items.js';
import { encodeRecord, preferencesRecord, type RealmState, USER_PART_PREFIX, userRecords } from '../../state.js';
import type { RealmVolatile } from '../../volatile.js';
import {
  type AccountInputs,
  changeOwnAccountFields,
  loadAccountInputs,
  type OwnAccountChange,
} from '../accounts/own-account.js';
import { addressVisibilityEvents } from '../accounts/person-events.js';
import { substituteAddress } from '../accounts/user-record.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, type RealmView, SETTINGS_LANE } from '../command.js';
import { storePreferences, withUserStatus } from './preferences.js';
import { presenceSwitchEffect } from './presence-switch.js';

/** PATCH /settings with settings only: such requests need no inputs, so they never wait. */
export const updateOwnSettingsHandler: RealmCommand<typeof realmCommands.changeSettings> = {
  lane: SETTINGS_LANE,
  handle: (view, args, _inputs, context) => settingsOutcome(view, args, context, undefined),
};

/**
 * PATCH /settings with a name, password or address, perhaps among settings. The inputs of such a request may wait for
 * the user actor.
 */
export const updateOwnAccountHandler: RealmCommand<typeof realmCommands.changeOwnAccount, AccountInputs> = {
  lane: 'account',
  inputs: ({ account }, context, sources) => loadAccountInputs(account, context, sources),
  handle: (view, args, inputs, context) =>
    settingsOutcome(view, args, context, (user) => changeOwnAccountFields(user, args.account, inputs, view, context)),
};

function settingsOutcome(
  { parts, volatile }: RealmView,
  { values, domain }: ChangeSettingsArgs,
  context: CommandContext,
  changeOf: ((user: DirectoryUser) => OwnAccountChange) | undefined,
): Outcome<RealmState> {
  const { caller, realm, version } = context;
  const before = requireActingUser(parts, caller);
  const account = changeOf?.(before);
  const preferences = preferencesRecord(parts, caller);
  const names = USER_SETTING_NAMES.filter(
    (name) => values[name] !== undefined && values[name] !== computeUserSetting(before, preferences.settings, name),
  );
  const user = withAccountFields(account?.user ?? before, values, domain, volatile);
  const events: LogItem[] = [];
  const written: Record<string, Json> = { ...account?.parts };
  if (user !== before) {
    reindexAddress(volatile, before, user);
    written[`${USER_PART_PREFIX}${user.id}`] = encodeRecord(user);
    events.push(directoryLogItem({ user }));
  }
  const chosen = chosenSettings(preferences.settings, names, values);
  const presence = names.includes('presence_enabled')
    ? presenceSwitchEffect(user, preferences.status, values.presence_enabled === true, context)
    : undefined;
  if (chosen !== preferences.settings) {
    const stored = storePreferences(
      withUserStatus({ ...preferences, settings: chosen }, presence?.status ?? preferences.status),
    );
    Object.assign(written, stored.parts);
    events.push(stored.change);
  }
  for (const name of names) {
    events.push(...settingEvents(user.id, name, values[name]!));
    if (name === 'presence_enabled') events.push(...presence!.events);
    if (name === 'email_address_visibility')
      events.push(...addressVisibilityEvents(before, user, userRecords(parts), version));
    if (name === 'timezone') {
      const person = { user_id: user.id, email: user.email, timezone: user.timezone };
      events.push(everyoneEventItem(version, { type: 'realm_user', op: 'update', person }));
    }
  }
  events.push(...(account?.events ?? []));
  const commands: OutboxCommand[] = [...(account?.commands ?? []), ...(presence?.commands ?? [])];
  if (names.includes('enable_drafts_synchronization') && values.enable_drafts_synchronization === false) {
    commands.push(
      outboxCommand({
        to: userKey(realmId(realm), user.id),
        name: userCommands.dropDrafts,
        args: {},
        caller: user.id,
        after: version,
      }),
    );
  }
  return {
    reply: successReply(undefined, events.some(({ t }) => t === 'directory') ? version : undefined),
    parts: written,
    events,
    ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
  };
}

/** The account with the changed settings that are stored in the account itself. */
function withAccountFields(
  user: DirectoryUser,
  {
    timezone = user.timezone,
    email_address_visibility: emailVisibility = user.emailVisibility,
  }: ChangeSettingsArgs['values'],
  domain: string,
  volatile: RealmVolatile,
): DirectoryUser {
  if (timezone === user.timezone && emailVisibility === user.emailVisibility) return user;
  // An account with a hidden address keeps its substitute address until its real one is visible again.
  const hidden = user.emailVisibility === 1 ? substituteAddress(user.id, domain, volatile) : user.email;
  const email = emailVisibility === 1 ? user.deliveryEmail : hidden;
  return { ...user, timezone, emailVisibility, email };
}

function reindexAddress(volatile: RealmVolatile, before: DirectoryUser, after: DirectoryUser): void {
  if (before.email === after.email) return;
  volatile.removeEmail(before.email);
  volatile.addUser(after.id, after.email, after.deliveryEmail);
}

/** The user's settings that differ from the defaults; the same object if nothing changes. */
function chosenSettings(
  before: Partial<UserSettings>,
  changed: readonly UserSettingName[],
  values: ChangeSettingsArgs['values'],
): Partial<UserSettings> {
  const own = changed.filter((name) => !isAccountField(name));
  if (own.length === 0) return before;
  const after: Record<string, UserSettingValue> = { ...before };
  for (const name of own) {
    if (values[name] === USER_SETTINGS[name].default) delete after[name];
    else after[name] = values[name]!;
  }
  return after;
}

/** Events of one setting: the modern one, then the one for clients without `user_settings_object`. */
function settingEvents(user: number, name: UserSettingName, value: UserSettingValue): LogItem[] {
  const language = name === 'default_language' ? { language_name: LANGUAGES.get(String(value)) ?? '' } : {};
  const events = [userEventItem(user, { type: 'user_settings', op: 'update', property: name, value, ...language })];
  const { group } = USER_SETTINGS[name];
  if (group === 'display') {
    events.push(
      userEventItem(user, { type: 'update_display_settings', setting_name: name, setting: value, ...language }),
    );
  }
  if (group === 'notification') {
    events.push(userEventItem(user, { type: 'update_global_notifications', notification_name: name, setting: value }));
  }
  return events;
}
