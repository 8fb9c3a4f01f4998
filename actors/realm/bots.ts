/** Rules, records and events that the commands on bots share (events.md realm_bot). */

import { foldNameAsShown, type Json, type JsonObject } from '#base';
import {
  checkMayManageBot,
  formatBotDefaultStreamsForApi,
  formatBotServicesWithSealedToken,
  formatBotWithSealedSecrets,
  type StreamLookup,
  seesBot,
} from '#domain/people';
import type { EventLogItem, LogItem, StreamId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryBot, DirectoryUser } from '#model/records';
import { makeDirectoryLogItem } from './log-items.js';
import {
  type ActorParts,
  BOT_PART_PREFIX,
  encodeDirectoryRecord,
  findBotRecord,
  findStreamRecord,
  findUserRecord,
  listBotRecords,
  listUserRecords,
  USER_PART_PREFIX,
} from './state.js';

/**
 * Lane of commands that create bots: their inputs wait for stream actors, which never wait for commands of this lane.
 */
export const BOT_CREATION_LANE = 'bots';

export interface BotAccount {
  readonly user: DirectoryUser;
  readonly bot: DirectoryBot;
}

export function findBotAccount(parts: ActorParts, id: number): BotAccount | undefined {
  const user = findUserRecord(parts, id);
  const bot = findBotRecord(parts, id);
  return user && bot ? { user, bot } : undefined;
}

/** The bot with this id, if the acting user is its owner or an administrator. @throws ApiError */
export function getManagedBotOrThrow(parts: ActorParts, id: number, acting: DirectoryUser): BotAccount {
  const found = findBotAccount(parts, id);
  if (!found) throw apiError('NO_SUCH_BOT');
  checkMayManageBot(found.user, acting);
  return found;
}

export const makeStreamLookup =
  (parts: ActorParts): StreamLookup =>
  (id) =>
    findStreamRecord(parts, id);

/**
 * Users who get events about the bot: those who see it. Administrators may know of all private streams, so they also
 * hear of a private default stream.
 */
const listBotEventRecipientIds = (parts: ActorParts, { user: bot }: BotAccount): number[] =>
  [...listUserRecords(parts)].filter((user) => user.isActive && seesBot(user, bot)).map(({ id }) => id);

/** Secrets in the event stay sealed until it is delivered to a client. */
const makeBotAddOrUpdateEvent = (to: readonly number[], op: 'add' | 'update', bot: JsonObject): EventLogItem => ({
  t: 'event',
  to: { users: to },
  event: { type: 'realm_bot', op },
  own: { of: 'bot', bot },
});

export const makeBotAddedEvent = (
  parts: ActorParts,
  account: BotAccount,
  to = listBotEventRecipientIds(parts, account),
): EventLogItem =>
  makeBotAddOrUpdateEvent(to, 'add', formatBotWithSealedSecrets(account.user, account.bot, makeStreamLookup(parts)));

/** Event of a changed bot, for its managers. @param change the changed field of the bot */
export const makeBotUpdatedEvent = (
  parts: ActorParts,
  account: BotAccount,
  change: JsonObject,
  except?: number,
): LogItem =>
  makeBotAddOrUpdateEvent(
    listBotEventRecipientIds(parts, account).filter((id) => id !== except),
    'update',
    { user_id: account.user.id, ...change },
  );

/** Events for users who see a bot with its new role alone, or no longer see it: it appears or disappears. */
export function makeBotEventsOfChangedRole(parts: ActorParts, before: BotAccount, after: BotAccount): LogItem[] {
  const [saw, see] = [before, after].map((account) => listBotEventRecipientIds(parts, account)) as [number[], number[]];
  const left = saw.filter((id) => !see.includes(id));
  const joined = see.filter((id) => !saw.includes(id));
  return [
    ...(left.length > 0 ? [makeBotDeletedForUsersEvent(after.user.id, left)] : []),
    ...(joined.length > 0 ? [makeBotAddedEvent(parts, after, joined)] : []),
  ];
}

/** Events of changed settings of a bot: one per field that clients see. */
export function makeBotSettingsChangedEvents(parts: ActorParts, before: BotAccount, after: BotAccount): LogItem[] {
  const shown = ({ bot }: BotAccount): JsonObject => ({
    ...formatBotDefaultStreamsForApi(bot, makeStreamLookup(parts)),
    services: formatBotServicesWithSealedToken(bot),
  });
  const was = shown(before);
  return Object.entries(shown(after))
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(was[field]))
    .map(([field, value]) => makeBotUpdatedEvent(parts, after, { [field]: value }));
}

/** Events for bots with a default stream that was renamed. */
export function makeBotEventsOfRenamedStream(parts: ActorParts, stream: number, name: string): LogItem[] {
  const events: LogItem[] = [];
  for (const bot of listBotRecords(parts)) {
    const account = findBotAccount(parts, bot.user);
    if (!account) continue;
    if (bot.sendingStream === stream)
      events.push(makeBotUpdatedEvent(parts, account, { default_sending_stream: name }));
    if (bot.eventsStream === stream)
      events.push(makeBotUpdatedEvent(parts, account, { default_events_register_stream: name }));
  }
  return events;
}

export const makeBotRemovedEvent = (parts: ActorParts, account: BotAccount): LogItem => ({
  t: 'event',
  to: { users: listBotEventRecipientIds(parts, account) },
  event: { type: 'realm_bot', op: 'remove', bot: { user_id: account.user.id, full_name: account.user.fullName } },
});

/** Event that makes a bot disappear for users who no longer see it. */
export const makeBotDeletedForUsersEvent = (bot: number, users: readonly number[]): LogItem => ({
  t: 'event',
  to: { users },
  event: { type: 'realm_bot', op: 'delete', bot: { user_id: bot } },
});

/**
 * Parts and directory changes that store a new or changed bot.
 *
 * @param before the bot before the change; absent if the bot is new
 */
export function makeBotAccountChanges(
  { user, bot }: BotAccount,
  before?: BotAccount,
): { readonly parts: Record<string, Json>; readonly changes: readonly LogItem[] } {
  const parts: Record<string, Json> = {};
  const changes: LogItem[] = [];
  if (user !== before?.user) {
    parts[`${USER_PART_PREFIX}${user.id}`] = encodeDirectoryRecord(user);
    changes.push(makeDirectoryLogItem({ user }));
  }
  if (bot !== before?.bot) {
    parts[`${BOT_PART_PREFIX}${user.id}`] = encodeDirectoryRecord(bot);
    changes.push(makeDirectoryLogItem({ bot }));
  }
  return { parts, changes };
}

interface BotChanges {
  readonly parts: Readonly<Record<string, Json>>;
  /** Directory changes and events. */
  readonly events: readonly LogItem[];
}

/** Changes of the bots with a default stream that is archived: they have none. @param archived ids of streams */
export function makeBotChangesOfArchivedStreams(parts: ActorParts, archived: readonly StreamId[]): BotChanges {
  const kept = (id: StreamId | null): StreamId | null => (id !== null && archived.includes(id) ? null : id);
  const written: Record<string, Json> = {};
  const events: LogItem[] = [];
  for (const bot of listBotRecords(parts)) {
    const before = findBotAccount(parts, bot.user);
    const after = { ...bot, sendingStream: kept(bot.sendingStream), eventsStream: kept(bot.eventsStream) };
    if (!before || (after.sendingStream === bot.sendingStream && after.eventsStream === bot.eventsStream)) continue;
    const account = { user: before.user, bot: after };
    const stored = makeBotAccountChanges(account, before);
    Object.assign(written, stored.parts);
    events.push(...stored.changes, ...makeBotSettingsChangedEvents(parts, before, account));
  }
  return { parts: written, events };
}

/**
 * A bot's name must look different from those of all active accounts, ignoring case. @param error refusal of another
 * name @throws ApiError
 */
export function checkBotNameIsUnique(parts: ActorParts, name: string, error = apiError('BOT_NAME_IN_USE')): void {
  const folded = foldNameAsShown(name);
  for (const user of listUserRecords(parts)) {
    if (user.isActive && foldNameAsShown(user.fullName) === folded) throw error;
  }
}
