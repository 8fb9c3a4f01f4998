/** Scheduled messages (messages.md § Scheduled messages): listed, created, edited and deleted by their sender. */

import { makeSuccessReply } from '#actors/shared';
import {
  findStoredScheduledMessage,
  formatScheduledMessageForApi,
  listUnsentScheduledMessages,
  MAX_SCHEDULED_MESSAGES_PER_USER,
  parseScheduledMessageRecipients,
  type ScheduledMessage,
  type ScheduledMessageBody,
  scheduledMessagePartName,
} from '#domain/messages';
import { toCheckedTruncatedTopic } from '#domain/streams';
import { toUserId } from '#model';
import type { EditScheduledMessageArgs, userActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import {
  loadMessageSchedulingInputs,
  type MessageSchedulingInputs,
  makeScheduledMessagesEvent,
  partsWithScheduledMessages,
  toCheckedScheduledMessageBody,
} from '../../scheduling.js';
import { nextPersonalItemId, nextUserTimerTime, type UserCommandHandler } from '../../state.js';

/** GET /scheduled_messages: lists the messages that are not sent yet. */
export const listScheduledMessagesHandler: UserCommandHandler<typeof userActorCommands.scheduledMessages> = {
  lane: 'read',
  read: true,
  handle: ({ parts }) => ({
    reply: makeSuccessReply({
      scheduled_messages: listUnsentScheduledMessages(parts).map(formatScheduledMessageForApi),
    }),
  }),
};

/** POST /scheduled_messages: schedules a message. */
export const scheduleMessageHandler: UserCommandHandler<typeof userActorCommands.schedule, MessageSchedulingInputs> = {
  inputs: (args, context, sources) =>
    loadMessageSchedulingInputs(args, args.type === 'stream' ? args.to[0] : undefined, undefined, context, sources),
  handle(view, args, inputs, context) {
    const { state, parts } = view;
    const body = toCheckedScheduledMessageBody(args, undefined, view, inputs, context);
    const count = listUnsentScheduledMessages(parts).length + 1;
    checkParameterItemCount('scheduled_messages', count, MAX_SCHEDULED_MESSAGES_PER_USER);
    const id = nextPersonalItemId(state.lastScheduled, toUserId(context.caller));
    const { at, origin } = args;
    const message: ScheduledMessage = { id, ...body, at, phase: 'waiting', client: context.client, origin };
    return {
      reply: makeSuccessReply({ scheduled_message_id: id }),
      state: { ...state, lastScheduled: id },
      parts: { [scheduledMessagePartName(id)]: message },
      events: [
        makeScheduledMessagesEvent(context.caller, 'add', {
          scheduled_messages: [formatScheduledMessageForApi(message)],
        }),
      ],
      due: nextUserTimerTime(partsWithScheduledMessages(parts, message)),
    };
  },
};

/**
 * PATCH /scheduled_messages/{scheduled_message_id}: changes a message that was not sent yet. The frontend has already
 * checked that the parameters fit together.
 */
export const editScheduledMessageHandler: UserCommandHandler<
  typeof userActorCommands.editScheduled,
  MessageSchedulingInputs
> = {
  inputs(args, context, sources) {
    const known = findStoredScheduledMessage(context.view.parts, args.id);
    const before = known?.phase === 'sent' ? undefined : known;
    return loadMessageSchedulingInputs(args, targetStreamIdOfEdit(args, before), before, context, sources);
  },
  handle(view, args, inputs, context) {
    const known = findStoredScheduledMessage(view.parts, args.id);
    if (!known) throw apiError('NO_SUCH_SCHEDULED_MESSAGE');
    if (known.phase === 'sent' || known.phase === 'sending') throw apiError('SCHEDULED_ALREADY_SENT');
    if (known.phase === 'failed' && args.at === null) throw apiError('SCHEDULED_IN_PAST');
    const { type, to, content } = args;
    const anew = type !== null || to !== null || content !== null;
    const body = anew
      ? toCheckedScheduledMessageBody(mergeEditIntoScheduledMessage(args, known), known, view, inputs, context)
      : { ...known, ...changedTopicOfEdit(args, known) };
    const { client } = context;
    const message: ScheduledMessage = {
      ...known,
      ...body,
      at: args.at ?? known.at,
      phase: 'waiting',
      client,
      early: 0,
    };
    return {
      reply: makeSuccessReply(),
      parts: { [scheduledMessagePartName(message.id)]: message },
      events: [
        makeScheduledMessagesEvent(context.caller, 'update', {
          scheduled_message: formatScheduledMessageForApi(message),
        }),
      ],
      due: nextUserTimerTime(partsWithScheduledMessages(view.parts, message)),
    };
  },
};

function mergeEditIntoScheduledMessage(
  { type: newType, to, topic, content, newer_mentions }: EditScheduledMessageArgs,
  known: ScheduledMessage,
) {
  const type = newType ?? known.type;
  return {
    type,
    to: to === null ? known.to : parseScheduledMessageRecipients(type, to),
    topic: topic ?? known.topic,
    content: content ?? known.content,
    newer_mentions: content === null ? (known.newer_mentions ?? false) : (newer_mentions ?? false),
  };
}

/** Changed topic of an edit that gives neither content nor a target. Direct messages have no topic. */
const changedTopicOfEdit = (
  { topic }: EditScheduledMessageArgs,
  known: ScheduledMessage,
): Partial<ScheduledMessageBody> =>
  topic === null || known.type === 'private' ? {} : { topic: toCheckedTruncatedTopic(topic) };

function targetStreamIdOfEdit(args: EditScheduledMessageArgs, known: ScheduledMessage | undefined): number | undefined {
  if (!known) return undefined;
  try {
    const { type, to } = mergeEditIntoScheduledMessage(args, known);
    return type === 'stream' ? to[0] : undefined;
  } catch {
    return undefined;
  }
}

/** DELETE /scheduled_messages/{scheduled_message_id}: deletes a scheduled message, also one that was sent. */
export const deleteScheduledMessageHandler: UserCommandHandler<typeof userActorCommands.deleteScheduled> = {
  handle({ parts }, { id }, _inputs, { caller }) {
    if (!findStoredScheduledMessage(parts, id)) throw apiError('NO_SUCH_SCHEDULED_MESSAGE');
    const left = new Map(parts);
    left.delete(scheduledMessagePartName(id));
    return {
      reply: makeSuccessReply(),
      parts: { [scheduledMessagePartName(id)]: null },
      events: [makeScheduledMessagesEvent(caller, 'remove', { scheduled_message_id: id })],
      due: nextUserTimerTime(left),
    };
  },
};
