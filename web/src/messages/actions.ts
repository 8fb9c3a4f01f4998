import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import { getMessageConversation, type MessageWindow, makeConversationNarrow } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import { t } from '../text/index.js';
import { withLaterChunk } from './chunk.js';
import { OptimisticToggles, type ReactionEmoji } from './toggles.js';

const THUMBS_UP_EMOJI: ReactionEmoji = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };

/** Messages that the reader has collapsed or expanded, by `getCollapseKey`. */
const toggledCollapseKeys = signal<ReadonlySet<number>>(new Set());

export const isSenderMuted = ({ sender_id }: Message): boolean =>
  core.state.muting.mutedAtByUserId.value.has(sender_id);

/** The id, negative while the sender is muted: a press before the sender was muted does not count then. */
const getCollapseKey = (message: Message): number => (isSenderMuted(message) ? -message.id : message.id);

/** Messages of muted senders are collapsed at first. Reads signals. */
export const isCollapsed = (message: Message): boolean =>
  isSenderMuted(message) !== toggledCollapseKeys.value.has(getCollapseKey(message));

export function toggleCollapsed(message: Message): void {
  const keys = new Set(toggledCollapseKeys.peek());
  const key = getCollapseKey(message);
  if (!keys.delete(key)) keys.add(key);
  toggledCollapseKeys.value = keys;
}

const optimisticToggles = new OptimisticToggles(
  core.api,
  core.windows.messageStore,
  () => {
    const { id } = core.state.me;
    const { email = '', full_name = '' } = core.state.people.byId.peek().get(id) ?? {};
    return { id, email, full_name };
  },
  core.platform,
);

export async function setReaction(message: Message, emoji: ReactionEmoji, on: boolean): Promise<void> {
  await awaitOrToastError(optimisticToggles.setReaction(message.id, emoji, on));
}

const hasOwnReaction = (message: Message, emoji: ReactionEmoji): boolean =>
  message.reactions.some((of) => of.user_id === core.state.me.id && of.emoji_code === emoji.emoji_code);

export const toggleOwnThumbsUp = (message: Message): Promise<void> =>
  setReaction(message, THUMBS_UP_EMOJI, !hasOwnReaction(message, THUMBS_UP_EMOJI));

/** Joins the first reaction, or leaves it. @returns whether there is one */
export function toggleOwnReactionLikeFirst(message: Message): boolean {
  const [first] = message.reactions;
  if (first) void setReaction(message, first, !hasOwnReaction(message, first));
  return first !== undefined;
}

/** Asks the emoji picker, which belongs to the compose box. */
export function requestReactionEmoji(message: Message, anchor: Element): void {
  const { x, y, width, height } = anchor.getBoundingClientRect();
  core.sharedViewState.emojiPickerRequest.value = {
    anchorBox: { x, y, width, height },
    onChoose: ({ name, code, type }) =>
      void setReaction(message, { emoji_name: name, emoji_code: code, reaction_type: type }, true),
  };
}

export function openReply(message: Message, insert?: string): void {
  const to = getMessageConversation(message, core.state.me.id);
  core.sharedViewState.composeRequest.value =
    insert === undefined ? { conversation: to } : { conversation: to, insertedText: insert };
}

export const openDirectReplyToSender = (message: Message): void => {
  core.sharedViewState.composeRequest.value = { conversation: { users: [message.sender_id] } };
};

const makeMentionName = (message: Message): string => {
  const name = core.state.people.getFullName(message.sender_id) || message.sender_full_name;
  const [, ...others] = core.state.people.activeUsersAndBots.peek().filter(({ full_name }) => full_name === name);
  return others.length > 0 ? `${name}|${message.sender_id}` : name;
};

export const openReplyMentioningSender = (message: Message): void =>
  openReply(message, `@**${makeMentionName(message)}** `);

export const makeMessageUrl = (message: Message): string => {
  const narrow = makeConversationNarrow(getMessageConversation(message, core.state.me.id));
  return `${location.origin}/${core.router.formatHash({ view: 'narrow', narrow, near: message.id })}`;
};

export async function fetchMessageMarkdown(message: Message): Promise<string> {
  const { raw_content } = await core.api.get('/messages/{message_id}', {
    message_id: message.id,
    apply_markdown: false,
  });
  return raw_content;
}

/** The selected text, if all of it is in the text of one message. A triple click selects up to what follows. */
function findSelectedText(): readonly [messageId?: number, text?: string] {
  const selection = getSelection();
  const text = String(selection).trim();
  const content = selection?.anchorNode?.parentElement?.closest<HTMLElement>('[data-message] > .content');
  return text && content?.innerText.includes(text) ? [Number(content.parentElement!.dataset.message), text] : [];
}

/** The selected text of a message, or else all of it, as a quotation with its sender and address. */
async function makeQuotation(message: Message): Promise<string> {
  const [id, selected] = findSelectedText();
  const text = id === message.id ? selected! : await fetchMessageMarkdown(message);
  const longest = Math.max(2, ...[...text.matchAll(/^ {0,3}(`{3,})/gm)].map(([, fence = '']) => fence.length));
  const fence = '`'.repeat(longest + 1);
  const sender = `@_**${makeMentionName(message)}**`;
  return `${t('messages.quoted', { sender, link: makeMessageUrl(message) })}\n${fence}quote\n${text}\n${fence}\n`;
}

export async function openReplyWithQuote(message: Message): Promise<void> {
  await awaitOrToastError(makeQuotation(message), (quotation) => openReply(message, quotation));
}

/** Quotes the message in which text is selected, or else this one. */
export const openReplyQuotingSelectionOr = (message: Message): Promise<void> =>
  openReplyWithQuote(core.windows.messageStore.peek(findSelectedText()[0] ?? 0) ?? message);

/** Quotes the message to whom the reader then chooses. */
export async function openForwardCompose(message: Message): Promise<void> {
  await awaitOrToastError(makeQuotation(message), (insertedText) => {
    core.sharedViewState.composeRequest.value = { insertedText };
  });
}

export async function toggleStar(message: Message): Promise<void> {
  await awaitOrToastError(optimisticToggles.setStar(message.id, !message.flags.includes('starred')));
}

/** Whether the reader may change the text, as far as the client knows: the server decides. */
export function mayEditContent(message: Message): boolean {
  const { realm, me } = core.state;
  const { realm_allow_message_editing, realm_message_content_edit_limit_seconds: limit } = realm.value;
  if (message.sender_id !== me.id || !realm_allow_message_editing || message.submessages.length > 0) return false;
  return !limit || core.platform.now() / 1000 - message.timestamp < limit;
}

/** Opens the menu of all actions, which is a chunk of its own. */
export const openMessageActionsMenu = (message: Message, window: MessageWindow, anchor: Element): Promise<void> =>
  withLaterChunk(({ openMessageMenu }) => openMessageMenu(message, window, anchor));
