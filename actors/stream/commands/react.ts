/** Reactions, and copies that users make of old messages (messages.md § Reactions). */

import { makeSuccessReply, makeValueReply, messageOwnerActorKey } from '#actors/shared';
import {
  completeEmojiFields,
  isKnownEmojiCode,
  makeEmojiApiFields,
  requireEmojiByName,
  requireUsableEmoji,
  toComparableEmojiCode,
  toStoredEmojiType,
} from '#domain/emoji';
import { type StoredMessage, type StoredReaction, streamMovesOfMessage } from '#domain/messages';
import { type EmojiReference, type LogItem, toUserId, userActorKey } from '#model';
import {
  conversationActorCommands,
  makeOutboxCommand,
  type RemoveReactionArgs,
  type streamActorCommands,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView, MessageRecord } from '#model/records';
import {
  audienceOfMessageChanges,
  loadMessageRecord,
  makeAndRecordMessageChange,
  newestVersionOfMessage,
  redirectIfOwnedElsewhere,
  requireMayAccessStreamOfMessage,
} from '../messages.js';
import { makeTopicParticipationCommands } from '../participation.js';
import type { ConversationActorState, ConversationCommandHandler } from '../state.js';

/** Maximum number of reactions per message: each takes some 100 bytes of a record that is written whole. */
const MAX_REACTIONS_PER_MESSAGE = 5_000;

/**
 * True if a reaction has this emoji. @param sought code as `toComparableEmojiCode` spells it; older reactions may be
 * stored in another spelling
 */
const hasReactionEmoji = (
  stored: EmojiReference,
  sought: { readonly code: string; readonly type: EmojiReference['type'] | undefined },
): boolean => stored.type === sought.type && toComparableEmojiCode(stored.code, stored.type) === sought.code;

export const addReactionHandler: ConversationCommandHandler<
  typeof conversationActorCommands.react,
  MessageRecord | null
> = {
  inputs: ({ message_id }, { realm }, sources) => loadMessageRecord(realm, message_id, sources),
  handle(view, args, stored, context) {
    const { caller, directory, realm } = context;
    const message = newestVersionOfMessage(view, args.message_id, stored);
    if (!message) throw apiError('INVALID_MESSAGES');
    const moved = redirectIfOwnedElsewhere(message, context, conversationActorCommands.react, args);
    if (moved) return moved;
    requireMayAccessStreamOfMessage(view, message, context);
    const { reactions = [], copies = [] } = message.body;
    const given = { name: args.emoji_name, code: args.emoji_code, type: args.reaction_type };
    const resolved = completeEmojiFields(given, directory);
    const alike = reactions.filter((reaction) => hasReactionEmoji(reaction, resolved));
    if (alike.some(({ user }) => user === caller)) throw apiError('REACTION_EXISTS');
    // A further reaction with the same emoji takes the first one's name, even if the name no longer exists.
    const { name, code, type } = alike[0] ?? requireUsableEmoji(resolved, directory);
    if (reactions.length >= MAX_REACTIONS_PER_MESSAGE) throw apiError('TOO_MANY_REACTIONS');
    const reaction: StoredReaction = { user: caller, name, code, type };
    const newHolder = !args.copy && !copies.includes(caller);
    const changed = makeAndRecordMessageChange(
      view,
      message,
      { reactions: [...reactions, reaction], ...(newHolder ? { copies: [...copies, caller] } : {}) },
      context,
    );
    const next = newestVersionOfMessage(view, message.id, changed.record) ?? message;
    const makeCopy = makeOutboxCommand({
      to: userActorKey(realm, toUserId(caller)),
      name: userActorCommands.makeCopy,
      args: { ids: [message.id], moves: streamMovesOfMessage(message).length },
      caller: 0,
    });
    const commands = [
      ...(newHolder ? [makeCopy] : []),
      ...makeTopicParticipationCommands([caller], 'other', next.body, context),
    ];
    return {
      reply: makeSuccessReply(),
      messages: [changed],
      events: [makeReactionEvent('add', reaction, next, view.state, directory)],
      ...(commands.length > 0 ? { commands: [commands] } : {}),
      ...(newHolder ? { replyAfterCommands: true } : {}),
    };
  },
};

export const removeReactionHandler: ConversationCommandHandler<
  typeof conversationActorCommands.unreact,
  MessageRecord | null
> = {
  inputs: ({ message_id }, { realm }, sources) => loadMessageRecord(realm, message_id, sources),
  handle(view, args, stored, context) {
    const message = newestVersionOfMessage(view, args.message_id, stored);
    if (!message) throw apiError('INVALID_MESSAGES');
    const moved = redirectIfOwnedElsewhere(message, context, conversationActorCommands.unreact, args);
    if (moved) return moved;
    const { reactions = [] } = message.body;
    const own = reactions.filter(({ user }) => user === context.caller);
    const gone = getOwnReactionOrThrow(own, args, context.directory);
    const changed = makeAndRecordMessageChange(
      view,
      message,
      { reactions: reactions.filter((reaction) => reaction !== gone) },
      context,
    );
    return {
      reply: makeSuccessReply(),
      messages: [changed],
      events: [makeReactionEvent('remove', gone, message, view.state, context.directory)],
    };
  },
};

/** The caller's reaction that the arguments name. @throws ApiError */
function getOwnReactionOrThrow(
  own: readonly StoredReaction[],
  args: RemoveReactionArgs,
  directory: DirectoryView,
): StoredReaction {
  const { emoji_name: name, emoji_code: code, reaction_type: type } = args;
  if (code === null) {
    if (name === null) throw apiError('REACTION_ARGUMENTS');
    const emoji = requireEmojiByName(name, directory);
    const found = own.find((reaction) => hasReactionEmoji(reaction, emoji));
    if (!found) throw apiError('REACTION_DOES_NOT_EXIST');
    return found;
  }
  if (type === null && name === null) {
    const found = own.find(
      ({ code: stored, type }) => toComparableEmojiCode(stored, type) === toComparableEmojiCode(code, type),
    );
    if (found) return found;
    const known = (['unicode_emoji', 'realm_emoji', 'extra'] as const).some((one) =>
      isKnownEmojiCode(code, one, directory),
    );
    throw apiError(known ? 'REACTION_DOES_NOT_EXIST' : 'INVALID_MESSAGES');
  }
  const resolved = type === null ? requireEmojiByName(name ?? '', directory).type : toStoredEmojiType(type);
  const found = own.find((reaction) =>
    hasReactionEmoji(reaction, { code: toComparableEmojiCode(code, resolved), type: resolved }),
  );
  if (found) return found;
  throw apiError(isKnownEmojiCode(code, resolved, directory) ? 'REACTION_DOES_NOT_EXIST' : 'INVALID_MESSAGES');
}

function makeReactionEvent(
  op: 'add' | 'remove',
  reaction: StoredReaction,
  message: StoredMessage,
  state: ConversationActorState,
  directory: DirectoryView,
): LogItem {
  const user = directory.user(toUserId(reaction.user));
  return {
    t: 'event',
    to: audienceOfMessageChanges(message, state, directory),
    event: {
      type: 'reaction',
      op,
      message_id: message.id,
      ...makeEmojiApiFields(reaction, directory),
      user_id: reaction.user,
      user: { user_id: reaction.user, email: user?.email ?? '', full_name: user?.fullName ?? '' },
    },
  };
}

/**
 * Records that a user has made copies of old messages by flagging them, and gets events of their changes from now on.
 * The command is never refused. Messages that were deleted or moved away since then are skipped.
 */
export const recordMessageCopyHolderHandler: ConversationCommandHandler<
  typeof streamActorCommands.copyMade,
  readonly (MessageRecord | null)[]
> = {
  inputs: ({ ids }, { realm }, { store }) => store.getMessages(realm, ids),
  handle(view, { ids, user }, stored, context) {
    const messages = ids.flatMap((id, i) => {
      const message = newestVersionOfMessage(view, id, stored[i] ?? null);
      if (!message || messageOwnerActorKey(context.realm, message) !== context.key) return [];
      const copies = message.body.copies ?? [];
      return copies.includes(user)
        ? []
        : [makeAndRecordMessageChange(view, message, { copies: [...copies, user] }, context)];
    });
    return { reply: makeValueReply(null), messages };
  },
};
