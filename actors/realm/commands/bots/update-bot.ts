/** PATCH /bots/{bot_id} (users.md § Bots): changes everything asked for, or refuses and changes nothing. */

import { readOwnState, successReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { avatarUrl, checkFullName, isAdmin, presentBotServices, presentBotStreams } from '#domain/people';
import type { Subscription } from '#domain/streams';
import { type LogItem, userId } from '#model';
import type { realmCommands, UpdateBotArgs } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  type BotAccount,
  botAddedItem,
  botDeletedItem,
  botUpdatedItem,
  checkBotName,
  requireManagedBot,
  storeBot,
  streamNameLookup,
} from '../../bots.js';
import { type ActorParts, userRecord } from '../../state.js';
import { accountChangeEffect } from '../accounts/account-changes.js';
import { type CommitEffect, mergeCommitEffects } from '../accounts/effect.js';
import { personUpdatedEvent } from '../accounts/person-events.js';
import { checkMaySetRole, roleChangeEffect } from '../accounts/role-change.js';
import { requireActingUser } from '../callers.js';
import type { RealmCommand, RealmView } from '../command.js';
import type { OwnPrivateStreams } from '../own-private-streams.js';
import { checkWebhookInterface, loadOwnBotStreams, requireBotStream } from './create-bot.js';

interface Inputs {
  readonly own: OwnPrivateStreams;
  /** All subscriptions of the bot, ended ones included; empty unless its role changes. */
  readonly subscriptions: readonly Subscription[];
}

interface Step {
  readonly user: DirectoryUser;
  readonly effect: CommitEffect;
}

function rename(before: DirectoryUser, given: string, view: RealmView, context: CommandContext): Step | undefined {
  const fullName = checkFullName(given);
  if (fullName === before.fullName) return undefined;
  checkBotName(view.parts, fullName);
  const after = { ...before, fullName };
  const own = { events: [personUpdatedEvent(context.version, after.id, { full_name: fullName })] };
  return { user: after, effect: accountChangeEffect({ before, after }, own, view, context) };
}

/** The account to which a bot is given, if it may own one. @throws ApiError */
function newOwner(parts: ActorParts, id: number): DirectoryUser {
  const owner = userRecord(parts, id);
  if (!owner) throw apiError('OWNER_NO_SUCH_USER');
  if (!owner.isActive) throw apiError('OWNER_DEACTIVATED');
  if (owner.botType !== null) throw apiError('OWNER_IS_BOT');
  return owner;
}

/**
 * Gives the bot another owner. Administrators know the bot already; any other owner gets an event that the bot appears
 * or disappears.
 */
function changeOwner(before: BotAccount, id: number, view: RealmView, context: CommandContext): Step {
  const { parts } = view;
  const owner = newOwner(parts, id);
  const previous = before.user.botOwner === null ? undefined : userRecord(parts, before.user.botOwner);
  const after = { ...before.user, botOwner: owner.id };
  const account = { user: after, bot: before.bot };
  const knows = isAdmin(owner);
  const events: LogItem[] = [
    ...(previous && !isAdmin(previous) ? [botDeletedItem(after.id, previous.id)] : []),
    ...(knows ? [] : [botAddedItem(parts, account, [owner.id])]),
    botUpdatedItem(parts, account, { owner_id: owner.id }, knows ? undefined : owner.id),
    personUpdatedEvent(context.version, after.id, { bot_owner_id: owner.id }),
  ];
  return { user: after, effect: accountChangeEffect({ before: before.user, after }, { events }, view, context) };
}

/** The bot with the settings of the request. @throws ApiError */
function withSettings(
  before: DirectoryBot,
  args: UpdateBotArgs,
  acting: DirectoryUser,
  own: OwnPrivateStreams,
  view: RealmView,
): DirectoryBot {
  const stream = (name: string | null, unchanged: DirectoryBot['sendingStream']) =>
    name === null ? unchanged : requireBotStream(name, acting, own, view);
  const sendingStream = stream(args.sending, before.sendingStream);
  const eventsStream = stream(args.events, before.eventsStream);
  if (args.payloadUrl !== null) checkWebhookInterface(args.interface);
  const service =
    args.payloadUrl !== null && before.service
      ? { ...before.service, baseUrl: args.payloadUrl, interface: args.interface }
      : before.service;
  const config = { ...before.config, ...args.config };
  return {
    ...before,
    sendingStream,
    eventsStream,
    allPublicStreams: args.allPublicStreams ?? before.allPublicStreams,
    service,
    config,
  };
}

/** Events of changed settings of a bot: one per field that clients see. */
function settingEvents(parts: ActorParts, before: BotAccount, after: BotAccount): LogItem[] {
  const shown = ({ bot }: BotAccount): JsonObject => ({
    ...presentBotStreams(bot, streamNameLookup(parts)),
    services: presentBotServices(bot),
  });
  const was = shown(before);
  return Object.entries(shown(after))
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(was[field]))
    .map(([field, value]) => botUpdatedItem(parts, after, { [field]: value }));
}

export const updateBotHandler: RealmCommand<typeof realmCommands.updateBot, Inputs> = {
  // In this lane no user joins or leaves a stream while the command runs: the effect of a role depends on
  // subscriptions.
  lane: 'directory',
  exclusive: true,

  async inputs(args, context, sources) {
    const { parts } = context.view;
    const own = await loadOwnBotStreams(args, context, sources);
    const bot = userRecord(parts, args.bot_id);
    if (!bot || args.role === null || args.role === bot.role) return { own, subscriptions: [] };
    const { subscriptions } = await readOwnState(context.realm, userId(args.bot_id), ['subscriptions'], sources);
    return { own, subscriptions };
  },

  handle(view, args, { own, subscriptions }, context) {
    const { parts } = view;
    const acting = requireActingUser(parts, context.caller);
    const before = requireManagedBot(parts, args.bot_id, acting);
    const done: Step[] = [];
    const account = (): BotAccount => ({ user: done.at(-1)?.user ?? before.user, bot: before.bot });
    const step = (one: Step | undefined): void => void (one && done.push(one));
    if (args.full_name !== null) step(rename(before.user, args.full_name, view, context));
    if (args.role !== null && args.role !== before.user.role) {
      checkMaySetRole(parts, acting, before.user, args.role);
      if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
      step(roleChangeEffect(account().user, args.role, subscriptions, view, context));
    }
    if (args.bot_owner_id !== null && args.bot_owner_id !== before.user.botOwner) {
      step(changeOwner(account(), args.bot_owner_id, view, context));
    }
    const bot = withSettings(before.bot, args, acting, own, view);
    if (args.files > 1) throw apiError('ONE_FILE');
    if (args.dry) return { reply: successReply() };
    const after = { user: account().user, bot };
    const stored = storeBot(after, { ...after, bot: before.bot });
    const {
      parts: written,
      events,
      commands,
    } = mergeCommitEffects([
      ...done.map(({ effect }) => effect),
      { parts: stored.parts, events: [...stored.changes, ...settingEvents(parts, before, after)] },
    ]);
    return {
      reply: successReply(answer(parts, after, args), events.length > 0 ? context.version : undefined),
      parts: written,
      events,
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  },
};

/** Fields of the reply: the bot as it is now, with the service and configuration of the request. */
function answer(parts: ActorParts, { user, bot }: BotAccount, args: UpdateBotArgs): JsonObject {
  const owner = user.botOwner === null ? undefined : userRecord(parts, user.botOwner);
  return {
    full_name: user.fullName,
    avatar_url: avatarUrl(user),
    service_interface: args.interface,
    service_payload_url: args.payloadUrl,
    config_data: args.config,
    ...presentBotStreams(bot, streamNameLookup(parts)),
    ...(owner ? { bot_owner: owner.email } : {}),
  };
}
