/** Previews of the pages that a message links (#domain/link-previews): asks for them, and shows them. */

import { makeValueReply, messageOwnerActorKey } from '#actors/shared';
import { findPageUrlsToPreview, makeLinkPreviewHtml } from '#domain/link-previews';
import type { MessageBody, StoredMessage } from '#domain/messages';
import { type ActorKey, type LogItem, linkPreviewActorKey, toUserId } from '#model';
import {
  conversationActorCommands,
  linkPreviewActorCommands,
  makeOutboxCommand,
  type OutboxCommand,
} from '#model/commands';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  audienceOfMessageChanges,
  loadMessageRecord,
  makeAndRecordMessageChange,
  newestVersionOfMessage,
} from '../messages.js';
import type { ConversationCommandHandler } from '../state.js';

interface MessageTextForPreviews {
  readonly id: number;
  readonly sender: number;
  readonly content: string;
  readonly html: string;
  readonly hasLink: boolean;
}

/**
 * The command that fetches previews for a new text; none where the organization wants none, for messages of bots, and
 * for texts without links.
 */
export function makeFetchLinkPreviewsCommands(
  { id, sender, content, html, hasLink }: MessageTextForPreviews,
  { directory, realm, key }: Pick<CommandContext, 'directory' | 'realm' | 'key'>,
  origin: string,
): OutboxCommand[] {
  if (!hasLink || !directory.settings.inline_url_embed_preview) return [];
  if (directory.user(toUserId(sender))?.botType !== null) return [];
  const urls = findPageUrlsToPreview({ content, html }, origin);
  if (urls.length === 0) return [];
  const args = { message: id, conversation: key, urls };
  return [
    makeOutboxCommand({ to: linkPreviewActorKey(realm), name: linkPreviewActorCommands.fetchLinks, args, caller: 0 }),
  ];
}

/**
 * Adds the previews of pages to a message, below its text. That is no edit: the history stays as it is. A message that
 * was deleted, or edited so that it no longer links the pages, stays as it is. From the link-preview actor.
 */
export const showLinkPreviewsHandler: ConversationCommandHandler<
  typeof conversationActorCommands.showLinkPreviews,
  MessageRecord | null
> = {
  inputs: ({ message_id }, { realm }, sources) => loadMessageRecord(realm, message_id, sources),
  handle(view, args, stored, context) {
    const message = newestVersionOfMessage(view, args.message_id, stored);
    if (!message || !context.directory.settings.inline_url_embed_preview) return { reply: makeValueReply(null) };
    const owner = messageOwnerActorKey(context.realm, message) as ActorKey<'stream' | 'dm'>;
    if (owner !== context.key) {
      const name = conversationActorCommands.showLinkPreviews;
      return { reply: makeValueReply(null), commands: [[makeOutboxCommand({ to: owner, name, args, caller: 0 })]] };
    }
    const linked = findPageUrlsToPreview(message.body, '');
    // The links of a shown preview are no links of the text, so a repeat of this command adds nothing.
    const previews = args.previews.filter(({ url }) => linked.includes(url));
    if (previews.length === 0) return { reply: makeValueReply(null) };
    const html = [message.body.html, ...previews.map(makeLinkPreviewHtml)].join('\n');
    return {
      reply: makeValueReply(null),
      messages: [makeAndRecordMessageChange(view, message, { html }, context)],
      events: [makeLinkPreviewEvent(message, html, view.state, context)],
    };
  },
};

/**
 * Event of a message that now shows link previews (messages.md § Edit event): no user, and only fields of the
 * content.
 */
function makeLinkPreviewEvent(
  message: StoredMessage,
  html: MessageBody['html'],
  state: Parameters<typeof audienceOfMessageChanges>[1],
  { directory, now }: { readonly directory: DirectoryView; readonly now: number },
): LogItem {
  const { id, body } = message;
  const event = {
    type: 'update_message',
    user_id: null,
    edit_timestamp: Math.floor(now / 1000),
    message_id: id,
    message_ids: [id],
    rendering_only: true,
    orig_content: body.content,
    orig_rendered_content: body.html,
    prev_rendered_content_version: 1,
    content: body.content,
    rendered_content: html,
    is_me_message: body.content.startsWith('/me '),
    // Each recipient's flags are filled in at delivery.
    flags: [],
  };
  return {
    t: 'event',
    to: audienceOfMessageChanges(message, state, directory),
    event,
    own: { of: 'flags', message: id },
  };
}
