/** Saved snippets (messages.md § Saved snippets), visible to their owner only. */
import { makeSuccessReply } from '#actors/shared';
import type { JsonObject } from '#base';
import {
  listSavedSnippets,
  MAX_SAVED_SNIPPETS_PER_USER,
  SAVED_SNIPPET_TABLE,
  type SavedSnippet,
} from '#domain/messages';
import { type ActorParts, type LogItem, toUserId } from '#model';
import type { userActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import { nextPersonalItemId, type UserCommandHandler } from '../../state.js';

/** First API level with saved snippets; queues of lower levels don't get their events. */
const FIRST_LEVEL_WITH_SAVED_SNIPPETS = 297;

const makeSavedSnippetsEvent = (self: number, op: string, of: JsonObject): LogItem => ({
  t: 'event',
  to: { users: [self] },
  event: { type: 'saved_snippets', op, ...of },
  sinceLevel: FIRST_LEVEL_WITH_SAVED_SNIPPETS,
});

/** @throws ApiError if the user has no snippet with this id */
function requireSavedSnippet(parts: ActorParts, id: number): SavedSnippet {
  const snippet = SAVED_SNIPPET_TABLE.findPartValue(parts, id);
  if (!snippet) throw apiError('NO_SUCH_SAVED_SNIPPET');
  return snippet;
}

/** GET /saved_snippets: lists the user's snippets. */
export const listSavedSnippetsHandler: UserCommandHandler<typeof userActorCommands.savedSnippets> = {
  lane: 'read',
  read: true,
  handle: ({ parts }) => ({ reply: makeSuccessReply({ saved_snippets: listSavedSnippets(parts) }) }),
};

/** POST /saved_snippets: creates a snippet. */
export const createSavedSnippetHandler: UserCommandHandler<typeof userActorCommands.createSavedSnippet> = {
  handle({ state, parts }, { title, content }, _inputs, { caller, now }) {
    checkParameterItemCount('saved_snippets', listSavedSnippets(parts).length + 1, MAX_SAVED_SNIPPETS_PER_USER);
    const id = nextPersonalItemId(state.lastSnippet, toUserId(caller));
    const snippet: SavedSnippet = { id, title, content, date_created: Math.floor(now / 1000) };
    return {
      reply: makeSuccessReply({ saved_snippet_id: id }),
      state: { ...state, lastSnippet: id },
      parts: SAVED_SNIPPET_TABLE.makePartChange(id, snippet),
      events: [makeSavedSnippetsEvent(caller, 'add', { saved_snippet: snippet })],
    };
  },
};

/** PATCH /saved_snippets/{saved_snippet_id}: changes the title, the content or both. */
export const editSavedSnippetHandler: UserCommandHandler<typeof userActorCommands.editSavedSnippet> = {
  handle({ parts }, { id, title, content }, _inputs, { caller }) {
    const before = requireSavedSnippet(parts, id);
    const snippet: SavedSnippet = { ...before, title: title ?? before.title, content: content ?? before.content };
    if (snippet.title === before.title && snippet.content === before.content) return { reply: makeSuccessReply() };
    return {
      reply: makeSuccessReply(),
      parts: SAVED_SNIPPET_TABLE.makePartChange(id, snippet),
      events: [makeSavedSnippetsEvent(caller, 'update', { saved_snippet: snippet })],
    };
  },
};

/** DELETE /saved_snippets/{saved_snippet_id}: deletes a snippet. */
export const deleteSavedSnippetHandler: UserCommandHandler<typeof userActorCommands.deleteSavedSnippet> = {
  handle({ parts }, { id }, _inputs, { caller }) {
    requireSavedSnippet(parts, id);
    return {
      reply: makeSuccessReply(),
      parts: SAVED_SNIPPET_TABLE.makePartChange(id, null),
      events: [makeSavedSnippetsEvent(caller, 'remove', { saved_snippet_id: id })],
    };
  },
};
