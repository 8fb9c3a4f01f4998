/** Reading messages: what this user may see (narrow.md, messages.md § Access to a message). */
import { apiError } from '../../../src/api/errors.js';
import type { JsonObject } from '../../../src/core/index.js';
import type { DirectoryView } from '../../../src/directory/index.js';
import type { Rendered } from '../../../src/markdown/index.js';
import {
  type Fetched,
  fetchWindow,
  makePlan,
  neutral,
  OwnFlags,
  type OwnMessage,
  parseNarrow,
  resolveTerms,
  variant,
} from '../../../src/messages/index.js';
import { success } from '../../shared/replies.js';
import type { UserCommand } from '../command.js';
import { accessed, rightsOf } from './on-message.js';

interface FetchArgs extends JsonObject {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
  /** As sent; checked by the frontend. */
  readonly narrow: string;
  readonly client_gravatar: boolean;
  readonly apply_markdown: boolean;
}

function present(
  own: OwnMessage,
  flags: OwnFlags,
  directory: DirectoryView,
  options: { applyMarkdown: boolean; clientGravatar: boolean },
): JsonObject {
  return { ...variant(neutral(own.message, directory), options), flags: flags.of(own) };
}

/** GET /messages. */
export const fetchMessages: UserCommand<FetchArgs, Fetched> = {
  lane: 'read',
  read: true,
  async needs(args, context, suppliers) {
    const { reader, viewer, user, directory } = await rightsOf(context, suppliers);
    const terms = resolveTerms(parseNarrow(args.narrow), directory, user.id);
    return fetchWindow(reader, makePlan(terms, viewer), {
      anchor: args.anchor,
      numBefore: args.num_before,
      numAfter: args.num_after,
      includeAnchor: args.include_anchor,
    });
  },
  handle({ parts }, args, fetched, { directory, caller }) {
    const flags = new OwnFlags(caller, parts);
    const options = { applyMarkdown: args.apply_markdown, clientGravatar: args.client_gravatar };
    return {
      reply: success({
        anchor: fetched.anchor,
        found_newest: fetched.foundNewest,
        found_oldest: fetched.foundOldest,
        found_anchor: fetched.foundAnchor,
        history_limited: false,
        messages: fetched.rows.map((row) => present(row, flags, directory, options)),
      }),
    };
  },
};

/** GET /messages/{message_id}. */
export const fetchMessage: UserCommand<
  { readonly message_id: number; readonly apply_markdown: boolean },
  OwnMessage | undefined
> = {
  lane: 'read',
  read: true,
  needs: ({ message_id }, context, suppliers) => accessed(message_id, context, suppliers),
  handle({ parts }, { apply_markdown }, own, { directory, caller }) {
    if (!own) throw apiError('INVALID_MESSAGES');
    const options = { applyMarkdown: apply_markdown, clientGravatar: true };
    const message = present(own, new OwnFlags(caller, parts), directory, options);
    return { reply: success({ message, raw_content: own.message.body.content }) };
  },
};

/** POST /messages/render. */
export const render: UserCommand<{ readonly content: string; readonly origin: string }, Rendered | null> = {
  lane: 'read',
  read: true,
  async needs({ content, origin }, { realm }, suppliers) {
    return suppliers.services.renderer.render(content, await suppliers.directory(realm), origin);
  },
  handle(_view, _args, rendered) {
    if (!rendered) throw apiError('CANNOT_RENDER');
    return { reply: success({ rendered: rendered.html }) };
  },
};
