/** Reads of messages that the user may see (narrow.md, messages.md § Access to a message). */

import { makeSuccessReply, makeSuccessReplyOfEncodedFields } from '#actors/shared';
import { EncodedJson, filterInSlices, type JsonObject, mapInSlices, type ResponseFields } from '#base';
import type { MarkdownRenderResult } from '#domain/markdown';
import {
  fetchPackedWindowRows,
  formatMessageForClientVariant,
  formatMessageWindowFieldsForApi,
  formatSearchMatchForApi,
  MessageResponseEncoder,
  makeClientNeutralMessage,
  makeNarrowQueryPlan,
  type ReadableMessage,
  type SearchMatchFields,
  type StoredMessage,
  searchQueriesOfNarrowTerms,
  toMessageWindowRequest,
  toStoredMessage,
  UserMessageFlagsView,
} from '#domain/messages';
import type { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { UserCommandHandler } from '../../state.js';
import { loadNarrowTerms } from './narrow.js';
import { loadAccessibleMessage, loadMessageReadingRights } from './on-message.js';

function formatReadableMessageForApi(
  own: ReadableMessage,
  flags: UserMessageFlagsView,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject {
  return {
    ...formatMessageForClientVariant(makeClientNeutralMessage(own.message, directory), options),
    flags: flags.flagsOf(own),
  };
}

/** GET /messages: encodes the messages while they are read from the Store. */
export const fetchMessagesHandler: UserCommandHandler<typeof userActorCommands.fetchMessages, ResponseFields> = {
  lane: 'read',
  read: true,
  async inputs(args, context, sources) {
    const rights = await loadMessageReadingRights(context, sources);
    const { reader, viewer, directory } = rights;
    const terms = await loadNarrowTerms(args, rights, context, sources);
    const searches = searchQueriesOfNarrowTerms(terms);
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    const matched =
      searches.length === 0 ? undefined : ({ body }: StoredMessage) => formatSearchMatchForApi(body, searches);
    const shown = new MessageResponseEncoder(viewer.flags, directory, options, matched);
    const fetched = await fetchPackedWindowRows(
      reader,
      makeNarrowQueryPlan(terms, viewer),
      toMessageWindowRequest(args),
      { newer: shown.appendMessageJson, older: shown.prependMessageJson },
    );
    return {
      ...formatMessageWindowFieldsForApi(fetched),
      messages: new EncodedJson([shown.finishJsonList(fetched.rows)]),
    };
  },
  handle: (_view, _args, fields) => ({ reply: makeSuccessReplyOfEncodedFields(fields) }),
};

/** GET /messages/matches_narrow: considers only the caller's copies, not the public history. */
export const matchMessagesToNarrowHandler: UserCommandHandler<
  typeof userActorCommands.matchesNarrow,
  { readonly messages: Readonly<Record<number, SearchMatchFields>> }
> = {
  lane: 'read',
  read: true,
  async inputs(args, context, sources) {
    const rights = await loadMessageReadingRights(context, sources);
    const { reader, viewer } = rights;
    const terms = await loadNarrowTerms(args, rights, context, sources, { searchApart: true });
    const plan = makeNarrowQueryPlan(terms, viewer, { copies: true });
    const ids = [...new Set(args.msg_ids)].filter((id) => Number.isSafeInteger(id) && id >= 0).sort((a, b) => a - b);
    const records = await sources.store.getMessages(context.realm, ids);
    const stored = records.filter((record) => record !== null).map(toStoredMessage);
    const own = await reader.filterReadableWithHistory(stored, plan.history);
    const searches = searchQueriesOfNarrowTerms(terms);
    const matching = await filterInSlices(own, plan.matches);
    const matches = await mapInSlices(
      matching,
      ({ message }) => [message.id, formatSearchMatchForApi(message.body, searches)] as const,
    );
    return { messages: Object.fromEntries(matches) };
  },
  handle: (_view, _args, { messages }) => ({
    reply: makeSuccessReply({ messages: messages as unknown as JsonObject }),
  }),
};

/** GET /messages/{message_id}: replies with one message. */
export const fetchMessageHandler: UserCommandHandler<
  typeof userActorCommands.fetchMessage,
  ReadableMessage | undefined
> = {
  lane: 'read',
  read: true,
  inputs: ({ message_id }, context, sources) => loadAccessibleMessage(message_id, context, sources),
  handle({ parts }, { apply_markdown }, own, { directory, caller }) {
    if (!own) throw apiError('INVALID_MESSAGES');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    const message = formatReadableMessageForApi(own, new UserMessageFlagsView(caller, parts), directory, options);
    return { reply: makeSuccessReply({ message, raw_content: own.message.body.content }) };
  },
};

/** POST /messages/render: the HTML of a text. */
export const renderMessagePreviewHandler: UserCommandHandler<
  typeof userActorCommands.render,
  MarkdownRenderResult | null
> = {
  lane: 'read',
  read: true,
  async inputs({ content, origin, newer_mentions }, { realm, caller }, sources) {
    const directory = await sources.loadDirectory(realm);
    return sources.services.renderer.renderOrNull(content, directory, origin, caller, newer_mentions);
  },
  handle(_view, _args, rendered) {
    if (!rendered) throw apiError('CANNOT_RENDER');
    return { reply: makeSuccessReply({ rendered: rendered.html }) };
  },
};
