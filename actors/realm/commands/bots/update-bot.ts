/** PATCH /bots/{bot_id} (users.md § Bots): changes everything asked for, or refuses and changes nothing. */

import { makeSuccessReply } from '#actors/shared';
import type { JsonObject } from '#base';
import {
  avatarUrlOfUser,
  formatBotDefaultStreamsForApi,
  isAdminOrOwner,
  seesBot,
  toCheckedFullName,
} from '#domain/people';
import type { LogItem } from '#model';
import type { realmActorCommands, UpdateBotArgs } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  type BotAccount,
  checkBotNameIsUnique,
  getManagedBotOrThrow,
  makeBotAccountChanges,
  makeBotAddedEvent,
  makeBotDeletedForUsersEvent,
  makeBotSettingsChangedEvents,
  makeBotUpdatedEvent,
  makeStreamLookup,
} from '../../bots.js';
import { type ActorParts, findUserRecord } from '../../state.js';
import { makeAccountChangeCommit } from '../accounts/account-changes.js';
import { mergePartialCommits, type PartialCommit } from '../accounts/effect.js';
import { makeUserUpdatedEvent } from '../accounts/person-events.js';
import {
  checkMaySetRole,
  makeRoleChangeCommit,
  readSubscriptionsForRoleChange,
  type SubscriptionsByAccount,
} from '../accounts/role-change.js';
import { getActingUserOrThrow } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import type { OwnPrivateStreamIds } from '../stream-memberships.js';
import { checkWebhookPayloadFormat, getBotDefaultStreamIdOrThrow, loadOwnPrivateBotStreamIds } from './create-bot.js';

interface UpdateBotInputs {
  readonly ownPrivateStreamIds: OwnPrivateStreamIds;
  readonly subscriptions: SubscriptionsByAccount;
}

interface BotUpdateStepResult {
  readonly user: DirectoryUser;
  readonly effect: PartialCommit;
}

function makeBotRenameStep(
  before: DirectoryUser,
  given: string,
  view: RealmActorView,
  context: CommandContext,
): BotUpdateStepResult | undefined {
  const fullName = toCheckedFullName(given);
  if (fullName === before.fullName) return undefined;
  checkBotNameIsUnique(view.parts, fullName);
  const after = { ...before, fullName };
  const own = { events: [makeUserUpdatedEvent(context.version, after.id, { full_name: fullName })] };
  return { user: after, effect: makeAccountChangeCommit({ before, after }, own, view, context) };
}

/** The account to which a bot is given, if it may own one. @throws ApiError */
function getNewBotOwnerOrThrow(parts: ActorParts, id: number): DirectoryUser {
  const owner = findUserRecord(parts, id);
  if (!owner) throw apiError('OWNER_NO_SUCH_USER');
  if (!owner.isActive) throw apiError('OWNER_DEACTIVATED');
  if (owner.botType !== null) throw apiError('OWNER_IS_BOT');
  return owner;
}

/**
 * Gives the bot another owner. Each of the two owners for whom the bot appears or disappears gets an event of that.
 */
function makeBotOwnerChangeStep(
  before: BotAccount,
  id: number,
  view: RealmActorView,
  context: CommandContext,
): BotUpdateStepResult {
  const { parts } = view;
  const owner = getNewBotOwnerOrThrow(parts, id);
  const previous = before.user.botOwner === null ? undefined : findUserRecord(parts, before.user.botOwner);
  const after = { ...before.user, botOwner: owner.id };
  const account = { user: after, bot: before.bot };
  const knows = seesBot(owner, before.user);
  const events: LogItem[] = [
    ...(previous && !seesBot(previous, after) ? [makeBotDeletedForUsersEvent(after.id, [previous.id])] : []),
    ...(knows ? [] : [makeBotAddedEvent(parts, account, [owner.id])]),
    makeBotUpdatedEvent(parts, account, { owner_id: owner.id }, knows ? undefined : owner.id),
    makeUserUpdatedEvent(context.version, after.id, { bot_owner_id: owner.id }),
  ];
  return { user: after, effect: makeAccountChangeCommit({ before: before.user, after }, { events }, view, context) };
}

/** The bot's role after the request. Unless that names a role, a bot that is given away has at most its new owner's. */
function computeRoleAfterUpdate(
  parts: ActorParts,
  bot: DirectoryUser,
  { role, bot_owner_id }: Pick<UpdateBotArgs, 'role' | 'bot_owner_id'>,
): number {
  if (role !== null) return role;
  if (bot_owner_id === null || bot_owner_id === bot.botOwner) return bot.role;
  return Math.max(bot.role, findUserRecord(parts, bot_owner_id)?.role ?? bot.role);
}

/** The bot with the settings of the request. @throws ApiError */
function makeBotWithSettings(
  before: DirectoryBot,
  args: UpdateBotArgs,
  acting: DirectoryUser,
  own: OwnPrivateStreamIds,
  view: RealmActorView,
): DirectoryBot {
  const stream = (name: string | null, unchanged: DirectoryBot['sendingStream']) =>
    name === null ? unchanged : getBotDefaultStreamIdOrThrow(name, acting, own, view);
  const sendingStream = stream(args.sending, before.sendingStream);
  const eventsStream = stream(args.events, before.eventsStream);
  if (args.payloadUrl !== null) checkWebhookPayloadFormat(args.interface);
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

export const updateBotHandler: RealmCommandHandler<typeof realmActorCommands.updateBot, UpdateBotInputs> = {
  // In this lane no user joins or leaves a stream while the command runs: the effect of a role depends on
  // subscriptions.
  lane: 'directory',
  exclusive: true,

  async inputs(args, context, sources) {
    const { parts } = context.view;
    const own = await loadOwnPrivateBotStreamIds(args, context, sources);
    const bot = findUserRecord(parts, args.bot_id);
    const role = bot ? computeRoleAfterUpdate(parts, bot, args) : null;
    return {
      ownPrivateStreamIds: own,
      subscriptions: await readSubscriptionsForRoleChange(bot, role, parts, context.realm, sources),
    };
  },

  handle(view, args, { ownPrivateStreamIds, subscriptions }, context) {
    const { parts } = view;
    const acting = getActingUserOrThrow(parts, context.caller);
    const before = getManagedBotOrThrow(parts, args.bot_id, acting);
    const done: BotUpdateStepResult[] = [];
    const account = (): BotAccount => ({ user: done.at(-1)?.user ?? before.user, bot: before.bot });
    const step = (one: BotUpdateStepResult | undefined): void => void (one && done.push(one));
    if (args.full_name !== null) step(makeBotRenameStep(before.user, args.full_name, view, context));
    if (args.role !== null && args.role !== before.user.role) {
      checkMaySetRole(parts, acting, before.user, args.role);
      if (!isAdminOrOwner(acting)) throw apiError('ADMIN_REQUIRED');
    }
    const role = computeRoleAfterUpdate(parts, before.user, args);
    if (role !== before.user.role) step(makeRoleChangeCommit(account().user, role, subscriptions, view, context));
    if (args.bot_owner_id !== null && args.bot_owner_id !== before.user.botOwner) {
      step(makeBotOwnerChangeStep(account(), args.bot_owner_id, view, context));
    }
    const bot = makeBotWithSettings(before.bot, args, acting, ownPrivateStreamIds, view);
    if (args.files > 1) throw apiError('ONE_FILE');
    if (args.dry) return { reply: makeSuccessReply() };
    const after = { user: account().user, bot };
    const stored = makeBotAccountChanges(after, { ...after, bot: before.bot });
    const {
      parts: written,
      events,
      commands,
    } = mergePartialCommits([
      ...done.map(({ effect }) => effect),
      { parts: stored.parts, events: [...stored.changes, ...makeBotSettingsChangedEvents(parts, before, after)] },
    ]);
    return {
      reply: makeSuccessReply(
        formatBotUpdateReplyFields(parts, after, args),
        events.length > 0 ? context.version : undefined,
      ),
      parts: written,
      events,
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  },
};

/** Fields of the reply: the bot as it is now, with the service and configuration of the request. */
function formatBotUpdateReplyFields(parts: ActorParts, { user, bot }: BotAccount, args: UpdateBotArgs): JsonObject {
  const owner = user.botOwner === null ? undefined : findUserRecord(parts, user.botOwner);
  return {
    full_name: user.fullName,
    avatar_url: avatarUrlOfUser(user),
    service_interface: args.interface,
    service_payload_url: args.payloadUrl,
    config_data: args.config,
    ...formatBotDefaultStreamsForApi(bot, makeStreamLookup(parts)),
    ...(owner ? { bot_owner: owner.email } : {}),
  };
}
