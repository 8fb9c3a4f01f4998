/** Drafts (messages.md § Drafts), visible to their owner only. */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import type { JsonObject } from '#base';
import {
  type Draft,
  type DraftBody,
  draftPartName,
  findStoredDraft,
  listStoredDrafts,
  MAX_DRAFTS_IN_REGISTER_RESPONSE,
  MAX_DRAFTS_PER_USER,
  toCheckedMessageContent,
} from '#domain/messages';
import { requireDraftsEnabled } from '#domain/people';
import { mayAccessStream, truncateTopicName } from '#domain/streams';
import { type ActorParts, type LogItem, toStreamId, toUserId, type UserId } from '#model';
import type { DraftInput, userActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  isSubscribedToStream,
  nextPersonalItemId,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

/** Maximum UTF-16 units of drafts per event; a log entry holds half a megabyte. */
const MAX_DRAFT_CHARACTERS_PER_EVENT = 100_000;

/** Checks a draft, in the order of messages.md. @throws ApiError */
function toCheckedDraftBody(
  given: DraftInput,
  parts: ActorParts,
  { directory, caller, now }: CommandContext,
): DraftBody {
  const content = toCheckedMessageContent(given.content);
  const { timestamp = now / 1000, type, to } = given;
  if (timestamp < 0) throw apiError('TIMESTAMP_NEGATIVE');
  const draft = { content, timestamp: Math.floor(timestamp) };
  const topic = truncateTopicName(given.topic);
  if (topic.includes('\0')) throw apiError('TOPIC_NULL_BYTES');
  if (type === 'stream') {
    if (to.length !== 1) throw apiError('ONE_DRAFT_STREAM');
    const stream = directory.stream(toStreamId(to[0]!));
    const user = directory.user(toUserId(caller));
    if (!stream || !user || !mayAccessStream(user, stream, isSubscribedToStream(parts, stream.id)))
      throw apiError('INVALID_STREAM_ID');
    return { ...draft, type, to: [stream.id], topic };
  }
  if (type === '' || to.length === 0) return { ...draft, type: '', to: [], topic: '' };
  return { ...draft, type, to: toCheckedDraftRecipients(to, directory, toUserId(caller)), topic: '' };
}

function toCheckedDraftRecipients(to: readonly number[], directory: DirectoryView, self: UserId): number[] {
  const ids = [...new Set(to)];
  const people = ids.map((id) => {
    const user = directory.user(toUserId(id));
    if (!user) throw apiError('INVALID_USER_ID', { user_id: id });
    return user;
  });
  const gone = people.find((user) => !user.isActive);
  if (gone) throw apiError('RECIPIENT_GONE', { email: gone.email });
  const others = ids.filter((id) => id !== self).sort((a, b) => a - b);
  return others.length === 0 ? [self] : others;
}

const makeDraftsEvent = (self: number, op: string, of: JsonObject): LogItem => ({
  t: 'event',
  to: { users: [self] },
  event: { type: 'drafts', op, ...of },
});

/** Events of new drafts: one for all, or several if they are too large for one. */
function makeDraftsAddedEvents(self: number, drafts: readonly Draft[]): LogItem[] {
  const events: LogItem[] = [];
  let group: Draft[] = [];
  let size = 0;
  for (const draft of drafts) {
    const own = draft.content.length + draft.to.length * 10 + 200;
    if (group.length > 0 && size + own > MAX_DRAFT_CHARACTERS_PER_EVENT) {
      events.push(makeDraftsEvent(self, 'add', { drafts: group }));
      group = [];
      size = 0;
    }
    group.push(draft);
    size += own;
  }
  events.push(makeDraftsEvent(self, 'add', { drafts: group }));
  return events;
}

/** GET /drafts: lists the user's drafts. */
export const listDraftsHandler: UserCommandHandler<typeof userActorCommands.drafts> = {
  lane: 'read',
  read: true,
  handle({ parts }, _args, _inputs, { directory, caller }) {
    requireDraftsEnabled(directory, toUserId(caller));
    const all = listStoredDrafts(parts);
    return { reply: makeSuccessReply({ count: all.length, drafts: all }) };
  },
};

/** POST /drafts: creates all of the drafts or none. */
export const createDraftsHandler: UserCommandHandler<typeof userActorCommands.createDrafts> = {
  handle({ state, parts }, { drafts: given }, _inputs, context) {
    const self = toUserId(context.caller);
    requireDraftsEnabled(context.directory, self);
    let last = state.lastDraft;
    const made = given.map((one): Draft => {
      last = nextPersonalItemId(last, self);
      return { id: last, ...toCheckedDraftBody(one, parts, context) };
    });
    checkParameterItemCount('drafts', listStoredDrafts(parts).length + made.length, MAX_DRAFTS_PER_USER);
    return {
      reply: makeSuccessReply({ ids: made.map(({ id }) => id) }),
      ...(last === undefined ? {} : { state: { ...state, lastDraft: last } }),
      parts: Object.fromEntries(made.map((draft) => [draftPartName(draft.id), draft])),
      events: makeDraftsAddedEvents(self, made),
    };
  },
};

/** PATCH /drafts/{draft_id}: the whole draft is replaced. */
export const replaceDraftHandler: UserCommandHandler<typeof userActorCommands.editDraft> = {
  handle({ parts }, { id, draft: given }, _inputs, context) {
    requireDraftsEnabled(context.directory, toUserId(context.caller));
    if (!findStoredDraft(parts, id)) throw apiError('NO_SUCH_DRAFT');
    const draft: Draft = { id, ...toCheckedDraftBody(given, parts, context) };
    return {
      reply: makeSuccessReply(),
      parts: { [draftPartName(id)]: draft },
      events: [makeDraftsEvent(context.caller, 'update', { draft })],
    };
  },
};

/** DELETE /drafts/{draft_id}: deletes a draft. */
export const deleteDraftHandler: UserCommandHandler<typeof userActorCommands.deleteDraft> = {
  handle({ parts }, { id }, _inputs, { directory, caller }) {
    requireDraftsEnabled(directory, toUserId(caller));
    if (!findStoredDraft(parts, id)) throw apiError('NO_SUCH_DRAFT');
    return {
      reply: makeSuccessReply(),
      parts: { [draftPartName(id)]: null },
      events: [makeDraftsEvent(caller, 'remove', { draft_id: id })],
    };
  },
};

/**
 * Deletes all drafts, because the user has turned their synchronization off. The realm actor has decided and sends this
 * command, so it is never refused. A repeat changes nothing.
 */
export const deleteAllDraftsHandler: UserCommandHandler<typeof userActorCommands.dropDrafts> = {
  handle({ parts }, _args, _inputs, { key }) {
    const gone = listStoredDrafts(parts);
    if (gone.length === 0) return { reply: makeValueReply(null) };
    const self = userIdOfUserActorKey(key);
    return {
      reply: makeValueReply(null),
      parts: Object.fromEntries(gone.map(({ id }) => [draftPartName(id), null])),
      events: gone.map(({ id }) => makeDraftsEvent(self, 'remove', { draft_id: id })),
    };
  },
};

/** The user's drafts as POST /register shows them: newest edit first. */
export const listDraftsForRegistration = (parts: ActorParts): Draft[] =>
  listStoredDrafts(parts).reverse().slice(0, MAX_DRAFTS_IN_REGISTER_RESPONSE);
