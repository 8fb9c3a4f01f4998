/**
 * PATCH /settings (users.md § Settings): checked by the frontend, stored where every replica has it.
 */
import { type Json, type JsonObject, realmId, userKey } from '../../../src/core/index.js';
import type { DirectoryUser } from '../../../src/directory/index.js';
import {
  FAKE_EMAIL_DOMAIN,
  LANGUAGES,
  presentAvatar,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  seesAddress,
  settingFrom,
  USER_SETTINGS,
} from '../../../src/people/index.js';
import type { LogItem, OutboxCommand } from '../../../src/runtime/index.js';
import { success } from '../../shared/replies.js';
import { asPart, personalOf, USER_PART, usersOf } from '../state.js';
import type { RealmVolatile } from '../volatile.js';
import type { RealmCommand } from './command.js';
import { actingUser, LANE, storePersonal, tellEverybody, tellUser, withStatus } from './personal.js';
import { switchPresence } from './presence-switch.js';

export interface SettingsArgs extends JsonObject {
  /** Only those that the request has. */
  readonly values: { readonly [name: string]: SettingValue };
  /** Where hidden addresses of this organization end. */
  readonly domain: string;
}

export const changeSettings: RealmCommand<SettingsArgs> = {
  lane: LANE,
  handle({ parts, volatile }, { values, domain }, _inputs, context) {
    const { caller, realm, version } = context;
    const before = actingUser(parts, caller);
    const personal = personalOf(parts, caller);
    const changed = SETTING_NAMES.filter(
      (name) => values[name] !== undefined && values[name] !== settingFrom(before, personal.settings, name),
    );
    if (changed.length === 0) return { reply: success() };
    const user = withFacts(before, values, domain, volatile);
    const events: LogItem[] = [];
    const written: Record<string, Json> = {};
    if (user !== before) {
      moveAddress(volatile, before, user);
      written[`${USER_PART}${user.id}`] = asPart(user);
      events.push({ t: 'directory', change: { user: user as never } });
    }
    const chosen = choose(personal.settings, changed, values);
    const presence = changed.includes('presence_enabled')
      ? switchPresence(user, personal.status, values.presence_enabled === true, context)
      : undefined;
    if (chosen !== personal.settings) {
      const stored = storePersonal(withStatus({ ...personal, settings: chosen }, presence?.status ?? personal.status));
      Object.assign(written, stored.parts);
      events.push(stored.change);
    }
    for (const name of changed) {
      events.push(...settingEvents(user.id, name, values[name]!));
      if (name === 'presence_enabled') events.push(...presence!.events);
      if (name === 'email_address_visibility') events.push(...visibilityEvents(before, user, usersOf(parts), version));
      if (name === 'timezone') {
        const person = { user_id: user.id, email: user.email, timezone: user.timezone };
        events.push(tellEverybody(version, { type: 'realm_user', op: 'update', person }));
      }
    }
    const drop: OutboxCommand[] =
      changed.includes('enable_drafts_synchronization') && values.enable_drafts_synchronization === false
        ? [{ to: userKey(realmId(realm), user.id), name: 'drop-drafts', args: {}, caller: user.id, after: version }]
        : [];
    const commands = [...drop, ...(presence?.commands ?? [])];
    return {
      reply: success(undefined, version),
      parts: written,
      events,
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  },
};

/** The account with the settings that are facts of it. */
function withFacts(
  user: DirectoryUser,
  { timezone = user.timezone, email_address_visibility: visibility = user.emailVisibility }: SettingsArgs['values'],
  domain: string,
  volatile: RealmVolatile,
): DirectoryUser {
  if (timezone === user.timezone && visibility === user.emailVisibility) return user;
  const emailVisibility = Number(visibility);
  // Once hidden, the address that stands for it stays the same until the account is visible again.
  const hidden = user.emailVisibility === 1 ? hiddenAddress(user.id, domain, volatile) : user.email;
  const email = emailVisibility === 1 ? user.deliveryEmail : hidden;
  return { ...user, timezone: String(timezone), emailVisibility, email };
}

function hiddenAddress(id: number, domain: string, volatile: RealmVolatile): string {
  const address = `user${id}@${domain}`;
  // Somebody may really have it.
  return volatile.userByEmail(address) === undefined ? address : `user${id}@${FAKE_EMAIL_DOMAIN}`;
}

function moveAddress(volatile: RealmVolatile, before: DirectoryUser, after: DirectoryUser): void {
  if (before.email === after.email) return;
  volatile.removeEmail(before.email);
  volatile.addUser(after.id, after.email, after.deliveryEmail);
}

/** What differs from the defaults; the same object when nothing changes. */
function choose(
  before: { readonly [name: string]: SettingValue | null },
  changed: readonly SettingName[],
  values: SettingsArgs['values'],
): { readonly [name: string]: SettingValue | null } {
  const own = changed.filter((name) => name !== 'timezone' && name !== 'email_address_visibility');
  if (own.length === 0) return before;
  const after = { ...before };
  for (const name of own) {
    if (values[name] === USER_SETTINGS[name].default) delete after[name];
    else after[name] = values[name]!;
  }
  return after;
}

/** The modern event first, then the one for clients without `user_settings_object`. */
function settingEvents(user: number, name: SettingName, value: SettingValue): LogItem[] {
  const language = name === 'default_language' ? { language_name: LANGUAGES.get(String(value)) ?? '' } : {};
  const events = [tellUser(user, { type: 'user_settings', op: 'update', property: name, value, ...language })];
  const { is } = USER_SETTINGS[name];
  if (is === 'D') {
    events.push(tellUser(user, { type: 'update_display_settings', setting_name: name, setting: value, ...language }));
  }
  if (is === 'N')
    events.push(tellUser(user, { type: 'update_global_notifications', notification_name: name, setting: value }));
  return events;
}

/** The real address to those who may see it from now on, null to those who no more may; a new API address to all. */
function visibilityEvents(
  before: DirectoryUser,
  after: DirectoryUser,
  everybody: Iterable<DirectoryUser>,
  version: number,
): LogItem[] {
  const gaining: number[] = [];
  const losing: number[] = [];
  for (const viewer of everybody) {
    if (viewer.id === after.id || !viewer.isActive) continue;
    const could = seesAddress(viewer, before);
    const can = seesAddress(viewer, after);
    if (can && !could) gaining.push(viewer.id);
    if (could && !can) losing.push(viewer.id);
  }
  const update = (person: JsonObject): JsonObject => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: after.id, ...person },
  });
  const events: LogItem[] = [];
  if (gaining.length > 0) {
    events.push({ t: 'event', to: { users: gaining }, event: update({ delivery_email: after.deliveryEmail }) });
  }
  if (losing.length > 0) events.push({ t: 'event', to: { users: losing }, event: update({ delivery_email: null }) });
  if (before.email === after.email) return events;
  return [
    ...events,
    tellEverybody(version, update({ new_email: after.email })),
    tellEverybody(version, update(presentAvatar(after))),
  ];
}
