/**
 * Reading without an account. The commands go to `user/<realm>/0`, an actor that never gets a root: no account has this
 * id, and all commands here are reads.
 */

import { successReply, VISITOR_ACCOUNT } from '#actors/shared';
import { type JsonObject, mapInSlices } from '#base';
import {
  checkAnonymousNarrow,
  fetchMessageWindow,
  MessageReader,
  type MessageWindow,
  makeNarrowPlan,
  type NarrowPlan,
  NEWEST_ANCHOR,
  parseMessageWindow,
  parseNarrow,
  presentMessageVariant,
  presentMessageWindow,
  presentNeutralMessage,
  presentSearchMatch,
  resolveNarrowTerms,
  type SearchMatch,
  type StoredMessage,
  searchesOfTerms,
  toStoredMessage,
  viewerWithoutFlags,
} from '#domain/messages';
import { streamId, streamKey } from '#model';
import { redirectCommand, streamCommands, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { UserCommand } from '../../state.js';

function isOpen({ body }: StoredMessage, directory: DirectoryView): boolean {
  const stream = body.stream === 0 ? undefined : directory.stream(streamId(body.stream));
  return stream?.webPublic === true && !stream.archived;
}

/** The message as visitors get it; for them all messages count as read. */
const shown = (
  message: StoredMessage,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject => ({ ...presentMessageVariant(presentNeutralMessage(message, directory), options), flags: ['read'] });

/** GET /messages without an account: public messages. */
export const fetchPublicMessagesHandler: UserCommand<
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
    const terms = resolveNarrowTerms(raw, directory, VISITOR_ACCOUNT.id);
    const viewer = viewerWithoutFlags({ realm, user: VISITOR_ACCOUNT, directory, subscribed: () => false });
    // Web-public streams show their whole history, with or without a term for a stream.
    const plan: NarrowPlan = { ...makeNarrowPlan(terms, viewer), history: 'public' };
    const fetched = await fetchMessageWindow(new MessageReader(sources.store, viewer), plan, {
      ...parseMessageWindow(args),
      // Visitors have no unread messages, so the anchor `first_unread` means the newest message.
      ...(args.anchor === 'first_unread' ? { anchor: NEWEST_ANCHOR } : {}),
    });
    const searches = searchesOfTerms(terms);
    const matches = await mapInSlices(fetched.rows, ({ message }) =>
      searches.length === 0 ? undefined : presentSearchMatch(message.body, searches),
    );
    return { fetched, matches };
  },
  handle(_view, args, { fetched, matches }, { directory }) {
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    return {
      reply: successReply({
        ...presentMessageWindow(fetched),
        // A stream may no longer be web-public since its messages were read.
        messages: fetched.rows.flatMap(({ message }, i) =>
          isOpen(message, directory) ? [{ ...shown(message, directory, options), ...matches[i] }] : [],
        ),
      }),
    };
  },
};

/**
 * GET /messages/{message_id} for a caller without an account. A message that such callers may not read is reported like
 * a missing one.
 */
export const fetchPublicMessageHandler: UserCommand<typeof userCommands.publicMessage, StoredMessage | undefined> = {
  creates: true,
  lane: 'read',
  read: true,
  async inputs({ message_id }, { realm }, { store }) {
    const [record] = await store.getMessages(realm, [message_id]);
    return record ? toStoredMessage(record) : undefined;
  },
  handle(_view, { apply_markdown }, message, { directory }) {
    if (!message || !isOpen(message, directory)) throw apiError('NOT_LOGGED_IN');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    return { reply: successReply({ message: shown(message, directory, options), raw_content: message.body.content }) };
  },
};

/** GET /users/me/{stream_id}/topics of a web-public stream: topics of the whole history. */
export const listPublicTopicsHandler: UserCommand<typeof userCommands.publicTopics> = {
  creates: true,
  lane: 'read',
  read: true,
  handle(_view, { stream_id }, _inputs, { directory, realm }) {
    const stream = directory.stream(streamId(stream_id));
    if (!stream?.webPublic || stream.archived) throw apiError('INVALID_STREAM_ID');
    return {
      reply: {
        forward: redirectCommand({ to: streamKey(realm, stream.id), command: streamCommands.listTopics, args: {} }),
      },
    };
  },
};
