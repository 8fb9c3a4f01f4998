/**
 * Reading without an account. The commands go to `user/<realm>/0`, an actor that never gets a root: no account has this
 * id, and all commands here are reads.
 */

import { successReply, VISITOR_ACCOUNT } from '#actors/shared';
import { type JsonObject, mapInSlices } from '#base';
import {
  asStored,
  checkAnonymousNarrow,
  fetchWindow,
  type MessageWindow,
  makePlan,
  matchOf,
  NEWEST,
  type Plan,
  parseNarrow,
  plainViewer,
  presentNeutral,
  presentVariant,
  presentWindow,
  Reader,
  resolveTerms,
  type SearchMatch,
  type StoredMessage,
  searchesOf,
  windowSpec,
} from '#domain/messages';
import { streamId, streamKey } from '#model';
import { redirect, streamCommands, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { UserCommand } from '../../state.js';

function isOpen({ body }: StoredMessage, directory: DirectoryView): boolean {
  const stream = body.stream === 0 ? undefined : directory.stream(streamId(body.stream));
  return stream?.webPublic === true && !stream.archived;
}

/** The message as visitors get it; all of their messages count as read. */
const shown = (
  message: StoredMessage,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject => ({ ...presentVariant(presentNeutral(message, directory), options), flags: ['read'] });

/** GET /messages. */
export const fetchPublicMessages: UserCommand<
  typeof userCommands.publicMessages,
  { readonly fetched: MessageWindow; readonly matches: readonly (SearchMatch | undefined)[] }
> = {
  creates: true,
  lane: 'read',
  read: true,
  async inputs(args, { realm }, sources) {
    const directory = await sources.directory(realm);
    const raw = parseNarrow(args.narrow);
    checkAnonymousNarrow(raw, directory);
    const terms = resolveTerms(raw, directory, VISITOR_ACCOUNT.id);
    const viewer = plainViewer({ realm, user: VISITOR_ACCOUNT, directory, subscribed: () => false });
    // Web-public streams show their whole history, with or without a term for a stream.
    const plan: Plan = { ...makePlan(terms, viewer), history: 'public' };
    const fetched = await fetchWindow(new Reader(sources.store, viewer), plan, {
      ...windowSpec(args),
      // Visitors have no unread messages.
      ...(args.anchor === 'first_unread' ? { anchor: NEWEST } : {}),
    });
    const searches = searchesOf(terms);
    const matches = await mapInSlices(fetched.rows, ({ message }) =>
      searches.length === 0 ? undefined : matchOf(message.body, searches),
    );
    return { fetched, matches };
  },
  handle(_view, args, { fetched, matches }, { directory }) {
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    return {
      reply: successReply({
        ...presentWindow(fetched),
        // A stream may have been closed since the read.
        messages: fetched.rows.flatMap(({ message }, i) =>
          isOpen(message, directory) ? [{ ...shown(message, directory, options), ...matches[i] }] : [],
        ),
      }),
    };
  },
};

/** GET /messages/{message_id}. A message without access is reported like a missing one. */
export const fetchPublicMessage: UserCommand<typeof userCommands.publicMessage, StoredMessage | undefined> = {
  creates: true,
  lane: 'read',
  read: true,
  async inputs({ message_id }, { realm }, { store }) {
    const [record] = await store.getMessages(realm, [message_id]);
    return record ? asStored(record) : undefined;
  },
  handle(_view, { apply_markdown }, message, { directory }) {
    if (!message || !isOpen(message, directory)) throw apiError('NOT_LOGGED_IN');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    return { reply: successReply({ message: shown(message, directory, options), raw_content: message.body.content }) };
  },
};

/** GET /users/me/{stream_id}/topics of a web-public stream: topics of the whole history. */
export const listPublicTopics: UserCommand<typeof userCommands.publicTopics> = {
  creates: true,
  lane: 'read',
  read: true,
  handle(_view, { stream_id }, _inputs, { directory, realm }) {
    const stream = directory.stream(streamId(stream_id));
    if (!stream?.webPublic || stream.archived) throw apiError('INVALID_STREAM_ID');
    return {
      reply: { forward: redirect({ to: streamKey(realm, stream.id), command: streamCommands.listTopics, args: {} }) },
    };
  },
};
