/**
 * Reading without an account. The commands go to `user/<realm>/0`, an actor that never gets a root: no account has this
 * id, and all commands of this file are reads.
 */

import { makeSuccessReply, VISITOR_ACCOUNT } from '#actors/shared';
import { type JsonObject, mapInSlices } from '#base';
import {
  fetchMessageWindow,
  formatMessageForClientVariant,
  formatMessageWindowFieldsForApi,
  formatSearchMatchForApi,
  type MessageWindow,
  makeClientNeutralMessage,
  makeNarrowQueryPlan,
  makeViewerWithoutFlags,
  type NarrowQueryPlan,
  NEWEST_ANCHOR_MESSAGE_ID,
  parseDistinctNarrowTerms,
  replaceWithTerm,
  requireAnonymousNarrow,
  resolveNarrowTerms,
  type SearchMatchFields,
  type StoredMessage,
  searchQueriesOfNarrowTerms,
  toMessageWindowRequest,
  toStoredMessage,
  UserMessageReader,
} from '#domain/messages';
import { streamActorKey, toStreamId } from '#model';
import { makeRedirectCommand, streamActorCommands, type userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { UserCommandHandler } from '../../state.js';

function isMessageInWebPublicStream({ body }: StoredMessage, directory: DirectoryView): boolean {
  const stream = body.stream === 0 ? undefined : directory.stream(toStreamId(body.stream));
  return stream?.webPublic === true && !stream.archived;
}

/** The message as visitors get it; for them all messages count as read. */
const formatMessageForVisitor = (
  message: StoredMessage,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject => ({
  ...formatMessageForClientVariant(makeClientNeutralMessage(message, directory), options),
  flags: ['read'],
});

/** GET /messages without an account: public messages. */
export const fetchMessagesForVisitorHandler: UserCommandHandler<
  typeof userActorCommands.publicMessages,
  { readonly fetched: MessageWindow; readonly matches: readonly (SearchMatchFields | undefined)[] }
> = {
  creates: true,
  lane: 'read',
  read: true,
  async inputs(args, { realm }, sources) {
    const directory = await sources.loadDirectory(realm);
    const dialect = args.narrow_dialect ?? 'classic';
    const parsed = parseDistinctNarrowTerms(args.narrow, dialect);
    const raw =
      dialect === 'classic'
        ? parsed
        : await replaceWithTerm(parsed, async (id) => {
            const [record] = await sources.store.getMessages(realm, [id]);
            const message = record ? toStoredMessage(record) : undefined;
            return message && isMessageInWebPublicStream(message, directory) ? message : undefined;
          });
    requireAnonymousNarrow(raw, directory);
    const terms = resolveNarrowTerms(raw, directory, VISITOR_ACCOUNT.id, { dialect });
    const viewer = makeViewerWithoutFlags({ realm, user: VISITOR_ACCOUNT, directory, subscribed: () => false });
    // Web-public streams show their whole history, with or without a term for a stream.
    const plan: NarrowQueryPlan = { ...makeNarrowQueryPlan(terms, viewer), history: 'public' };
    const fetched = await fetchMessageWindow(new UserMessageReader(sources.store, viewer), plan, {
      ...toMessageWindowRequest(args),
      // Visitors have no unread messages, so the anchor `first_unread` means the newest message.
      ...(args.anchor === 'first_unread' ? { anchor: NEWEST_ANCHOR_MESSAGE_ID } : {}),
    });
    const searches = searchQueriesOfNarrowTerms(terms);
    const matches = await mapInSlices(fetched.rows, ({ message }) =>
      searches.length === 0 ? undefined : formatSearchMatchForApi(message.body, searches),
    );
    return { fetched, matches };
  },
  handle(_view, args, { fetched, matches }, { directory }) {
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    return {
      reply: makeSuccessReply({
        ...formatMessageWindowFieldsForApi(fetched),
        // A stream may no longer be web-public since its messages were read.
        messages: fetched.rows.flatMap(({ message }, i) =>
          isMessageInWebPublicStream(message, directory)
            ? [{ ...formatMessageForVisitor(message, directory, options), ...matches[i] }]
            : [],
        ),
      }),
    };
  },
};

/**
 * GET /messages/{message_id} for a caller without an account. A message that such callers may not read is reported like
 * a missing one.
 */
export const fetchMessageForVisitorHandler: UserCommandHandler<
  typeof userActorCommands.publicMessage,
  StoredMessage | undefined
> = {
  creates: true,
  lane: 'read',
  read: true,
  async inputs({ message_id }, { realm }, { store }) {
    const [record] = await store.getMessages(realm, [message_id]);
    return record ? toStoredMessage(record) : undefined;
  },
  handle(_view, { apply_markdown }, message, { directory }) {
    if (!message || !isMessageInWebPublicStream(message, directory)) throw apiError('NOT_LOGGED_IN');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    return {
      reply: makeSuccessReply({
        message: formatMessageForVisitor(message, directory, options),
        raw_content: message.body.content,
      }),
    };
  },
};

/** GET /users/me/{stream_id}/topics of a web-public stream: topics of the whole history. */
export const listTopicsForVisitorHandler: UserCommandHandler<typeof userActorCommands.publicTopics> = {
  creates: true,
  lane: 'read',
  read: true,
  handle(_view, { stream_id }, _inputs, { directory, realm }) {
    const stream = directory.stream(toStreamId(stream_id));
    if (!stream?.webPublic || stream.archived) throw apiError('INVALID_STREAM_ID');
    return {
      reply: {
        forward: makeRedirectCommand({
          to: streamActorKey(realm, stream.id),
          command: streamActorCommands.listTopics,
          args: {},
        }),
      },
    };
  },
};
