/** Reads of messages that the user may see (narrow.md, messages.md § Access to a message). */

import { encoded, success } from '#actors/shared';
import type { Fields, JsonObject } from '#base';
import { Encoded, filterInTurns, mapInTurns } from '#base';
import type { Rendered } from '#domain/markdown';
import type { Match, OwnMessage, StoredMessage } from '#domain/messages';
import {
  asStored,
  makePlan,
  matchOf,
  neutral,
  OwnFlags,
  parseNarrow,
  presentWindow,
  resolveTerms,
  ShownMessages,
  searchesOf,
  showWindow,
  variant,
  windowOf,
} from '#domain/messages';
import type { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { UserCommand } from '../../state.js';
import { accessed, rightsOf } from './on-message.js';

function present(
  own: OwnMessage,
  flags: OwnFlags,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject {
  return { ...variant(neutral(own.message, directory), options), flags: flags.of(own) };
}

/** GET /messages: encodes the messages while they are read from the Store. */
export const fetchMessages: UserCommand<typeof userCommands.fetchMessages, Fields> = {
  lane: 'read',
  read: true,
  async inputs(args, context, sources) {
    const { reader, viewer, user, directory } = await rightsOf(context, sources);
    const terms = resolveTerms(parseNarrow(args.narrow), directory, user.id);
    const searches = searchesOf(terms);
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    const matched = searches.length === 0 ? undefined : ({ body }: StoredMessage) => matchOf(body, searches);
    const shown = new ShownMessages(viewer.flags, directory, options, matched);
    const fetched = await showWindow(reader, makePlan(terms, viewer), windowOf(args), shown.take);
    return { ...presentWindow(fetched), messages: new Encoded(shown.list(fetched.rows)) };
  },
  handle: (_view, _args, fields) => ({ reply: encoded(fields) }),
};

/** GET /messages/matches_narrow: considers only the caller's copies, not the public history. */
export const matchesNarrow: UserCommand<
  typeof userCommands.matchesNarrow,
  { readonly messages: Readonly<Record<number, Match>> }
> = {
  lane: 'read',
  read: true,
  async inputs({ msg_ids, narrow }, context, sources) {
    const { reader, viewer, user, directory } = await rightsOf(context, sources);
    const terms = resolveTerms(parseNarrow(narrow), directory, user.id, { searchApart: true });
    const plan = makePlan(terms, viewer, { copies: true });
    const ids = [...new Set(msg_ids)].filter((id) => Number.isSafeInteger(id) && id >= 0).sort((a, b) => a - b);
    const records = await sources.store.getMessages(context.realm, ids);
    const stored = records.filter((record) => record !== null).map(asStored);
    const own = await reader.readable(stored, plan.history);
    const searches = searchesOf(terms);
    const matching = await filterInTurns(own, plan.matches);
    const matches = await mapInTurns(matching, ({ message }) => [message.id, matchOf(message.body, searches)] as const);
    return { messages: Object.fromEntries(matches) };
  },
  handle: (_view, _args, { messages }) => ({ reply: success({ messages: messages as unknown as JsonObject }) }),
};

/** GET /messages/{message_id}. */
export const fetchMessage: UserCommand<typeof userCommands.fetchMessage, OwnMessage | undefined> = {
  lane: 'read',
  read: true,
  inputs: ({ message_id }, context, sources) => accessed(message_id, context, sources),
  handle({ parts }, { apply_markdown }, own, { directory, caller }) {
    if (!own) throw apiError('INVALID_MESSAGES');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    const message = present(own, new OwnFlags(caller, parts), directory, options);
    return { reply: success({ message, raw_content: own.message.body.content }) };
  },
};

/** POST /messages/render. */
export const render: UserCommand<typeof userCommands.render, Rendered | null> = {
  lane: 'read',
  read: true,
  async inputs({ content, origin }, { realm, caller }, sources) {
    return sources.services.renderer.render(content, await sources.directory(realm), origin, caller);
  },
  handle(_view, _args, rendered) {
    if (!rendered) throw apiError('CANNOT_RENDER');
    return { reply: success({ rendered: rendered.html }) };
  },
};
