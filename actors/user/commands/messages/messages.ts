/** Reads of messages that the user may see (narrow.md, messages.md § Access to a message). */

import { encodedReply, successReply } from '#actors/shared';
import { EncodedJson, filterInSlices, type JsonObject, mapInSlices, type ResponseFields } from '#base';
import type { RenderResult } from '#domain/markdown';
import {
  fetchPackedMessageWindow,
  MessageEncoder,
  makeNarrowPlan,
  parseMessageWindow,
  parseNarrow,
  presentMessageVariant,
  presentMessageWindow,
  presentNeutralMessage,
  presentSearchMatch,
  type ReadableMessage,
  resolveNarrowTerms,
  type SearchMatch,
  type StoredMessage,
  searchesOfTerms,
  toStoredMessage,
  UserFlags,
} from '#domain/messages';
import type { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { UserCommand } from '../../state.js';
import { accessibleMessage, loadReadingRights } from './on-message.js';

function present(
  own: ReadableMessage,
  flags: UserFlags,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject {
  return {
    ...presentMessageVariant(presentNeutralMessage(own.message, directory), options),
    flags: flags.flagsOf(own),
  };
}

/** GET /messages: encodes the messages while they are read from the Store. */
export const fetchMessagesHandler: UserCommand<typeof userCommands.fetchMessages, ResponseFields> = {
  lane: 'read',
  read: true,
  async inputs(args, context, sources) {
    const { reader, viewer, user, directory } = await loadReadingRights(context, sources);
    const terms = resolveNarrowTerms(parseNarrow(args.narrow), directory, user.id);
    const searches = searchesOfTerms(terms);
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    const matched = searches.length === 0 ? undefined : ({ body }: StoredMessage) => presentSearchMatch(body, searches);
    const shown = new MessageEncoder(viewer.flags, directory, options, matched);
    const fetched = await fetchPackedMessageWindow(
      reader,
      makeNarrowPlan(terms, viewer),
      parseMessageWindow(args),
      shown.encode,
    );
    return { ...presentMessageWindow(fetched), messages: new EncodedJson(shown.list(fetched.rows)) };
  },
  handle: (_view, _args, fields) => ({ reply: encodedReply(fields) }),
};

/** GET /messages/matches_narrow: considers only the caller's copies, not the public history. */
export const matchMessagesToNarrowHandler: UserCommand<
  typeof userCommands.matchesNarrow,
  { readonly messages: Readonly<Record<number, SearchMatch>> }
> = {
  lane: 'read',
  read: true,
  async inputs({ msg_ids, narrow }, context, sources) {
    const { reader, viewer, user, directory } = await loadReadingRights(context, sources);
    const terms = resolveNarrowTerms(parseNarrow(narrow), directory, user.id, { searchApart: true });
    const plan = makeNarrowPlan(terms, viewer, { copies: true });
    const ids = [...new Set(msg_ids)].filter((id) => Number.isSafeInteger(id) && id >= 0).sort((a, b) => a - b);
    const records = await sources.store.getMessages(context.realm, ids);
    const stored = records.filter((record) => record !== null).map(toStoredMessage);
    const own = await reader.readable(stored, plan.history);
    const searches = searchesOfTerms(terms);
    const matching = await filterInSlices(own, plan.matches);
    const matches = await mapInSlices(
      matching,
      ({ message }) => [message.id, presentSearchMatch(message.body, searches)] as const,
    );
    return { messages: Object.fromEntries(matches) };
  },
  handle: (_view, _args, { messages }) => ({ reply: successReply({ messages: messages as unknown as JsonObject }) }),
};

/** GET /messages/{message_id}: replies with one message. */
export const fetchMessageHandler: UserCommand<typeof userCommands.fetchMessage, ReadableMessage | undefined> = {
  lane: 'read',
  read: true,
  inputs: ({ message_id }, context, sources) => accessibleMessage(message_id, context, sources),
  handle({ parts }, { apply_markdown }, own, { directory, caller }) {
    if (!own) throw apiError('INVALID_MESSAGES');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    const message = present(own, new UserFlags(caller, parts), directory, options);
    return { reply: successReply({ message, raw_content: own.message.body.content }) };
  },
};

/** POST /messages/render: the HTML of a text. */
export const renderPreviewHandler: UserCommand<typeof userCommands.render, RenderResult | null> = {
  lane: 'read',
  read: true,
  async inputs({ content, origin }, { realm, caller }, sources) {
    return sources.services.renderer.render(content, await sources.directory(realm), origin, caller);
  },
  handle(_view, _args, rendered) {
    if (!rendered) throw apiError('CANNOT_RENDER');
    return { reply: successReply({ rendered: rendered.html }) };
  },
};
