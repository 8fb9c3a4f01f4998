/** Scheduled messages (messages.md § Scheduled messages): listed, created, edited and deleted by their sender. */

import { successReply } from '#actors/shared';
import {
  parseScheduledRecipients,
  presentScheduled,
  type ScheduledBody,
  type ScheduledMessage,
  scheduledPartName,
  storedScheduled,
  undeliveredScheduled,
} from '#domain/messages';
import { checkTopic } from '#domain/streams';
import { userId } from '#model';
import type { EditScheduledArgs, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import {
  checkScheduled,
  loadSchedulingInputs,
  type SchedulingInputs,
  scheduledEvent,
  writeScheduled,
} from '../../scheduling.js';
import { nextDraftOrScheduledId, nextTimerTime, type UserCommand } from '../../state.js';

/** GET /scheduled_messages: lists the messages that are not sent yet. */
export const listScheduledMessagesHandler: UserCommand<typeof userCommands.scheduledMessages> = {
  lane: 'read',
  read: true,
  handle: ({ parts }) => ({
    reply: successReply({ scheduled_messages: undeliveredScheduled(parts).map(presentScheduled) }),
  }),
};

/** POST /scheduled_messages: schedules a message. */
export const scheduleMessageHandler: UserCommand<typeof userCommands.schedule, SchedulingInputs> = {
  inputs: (args, context, sources) =>
    loadSchedulingInputs(args, args.type === 'stream' ? args.to[0] : undefined, undefined, context, sources),
  handle(view, args, inputs, context) {
    const { state, parts } = view;
    const body = checkScheduled(args, undefined, view, inputs, context);
    const id = nextDraftOrScheduledId(state.lastScheduled, userId(context.caller));
    const { at, origin } = args;
    const message: ScheduledMessage = { id, ...body, at, phase: 'waiting', client: context.client, origin };
    return {
      reply: successReply({ scheduled_message_id: id }),
      state: { ...state, lastScheduled: id },
      parts: { [scheduledPartName(id)]: message },
      events: [scheduledEvent(context.caller, 'add', { scheduled_messages: [presentScheduled(message)] })],
      due: nextTimerTime(writeScheduled(parts, message)),
    };
  },
};

/**
 * PATCH /scheduled_messages/{scheduled_message_id}: changes a message that was not sent yet. The frontend has already
 * checked that the parameters fit together.
 */
export const editScheduledMessageHandler: UserCommand<typeof userCommands.editScheduled, SchedulingInputs> = {
  inputs(args, context, sources) {
    const known = storedScheduled(context.view.parts, args.id);
    const before = known?.phase === 'sent' ? undefined : known;
    return loadSchedulingInputs(args, targetOf(args, before), before, context, sources);
  },
  handle(view, args, inputs, context) {
    const known = storedScheduled(view.parts, args.id);
    if (!known) throw apiError('NO_SUCH_SCHEDULED_MESSAGE');
    if (known.phase === 'sent' || known.phase === 'sending') throw apiError('SCHEDULED_ALREADY_SENT');
    if (known.phase === 'failed' && args.at === null) throw apiError('SCHEDULED_IN_PAST');
    const { type, to, content } = args;
    const anew = type !== null || to !== null || content !== null;
    const body = anew
      ? checkScheduled(merged(args, known), known, view, inputs, context)
      : { ...known, ...topicOf(args, known) };
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
      reply: successReply(),
      parts: { [scheduledPartName(message.id)]: message },
      events: [scheduledEvent(context.caller, 'update', { scheduled_message: presentScheduled(message) })],
      due: nextTimerTime(writeScheduled(view.parts, message)),
    };
  },
};

function merged({ type: newType, to, topic, content }: EditScheduledArgs, known: ScheduledMessage) {
  const type = newType ?? known.type;
  return {
    type,
    to: to === null ? known.to : parseScheduledRecipients(type, to),
    topic: topic ?? known.topic,
    content: content ?? known.content,
  };
}

/** Changed topic of an edit that gives neither content nor a target. Direct messages have no topic. */
const topicOf = ({ topic }: EditScheduledArgs, known: ScheduledMessage): Partial<ScheduledBody> =>
  topic === null || known.type === 'private' ? {} : { topic: checkTopic(topic) };

function targetOf(args: EditScheduledArgs, known: ScheduledMessage | undefined): number | undefined {
  if (!known) return undefined;
  try {
    const { type, to } = merged(args, known);
    return type === 'stream' ? to[0] : undefined;
  } catch {
    return undefined;
  }
}

/** DELETE /scheduled_messages/{scheduled_message_id}: deletes a scheduled message, also one that was sent. */
export const deleteScheduledMessageHandler: UserCommand<typeof userCommands.deleteScheduled> = {
  handle({ parts }, { id }, _inputs, { caller }) {
    if (!storedScheduled(parts, id)) throw apiError('NO_SUCH_SCHEDULED_MESSAGE');
    const left = new Map(parts);
    left.delete(scheduledPartName(id));
    return {
      reply: successReply(),
      parts: { [scheduledPartName(id)]: null },
      events: [scheduledEvent(caller, 'remove', { scheduled_message_id: id })],
      due: nextTimerTime(left),
    };
  },
};
