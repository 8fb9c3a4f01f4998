import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import { ApiFailure, conversationNarrow, conversationOf, type MessageWindow } from '../core/index.js';
import { toast } from '../kit/index.js';
import { t } from '../text/index.js';
import { withLater } from './chunk.js';
import { type ReactionEmoji, Toggles } from './toggles.js';

const THUMBS_UP: ReactionEmoji = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };

const collapsed = signal<ReadonlySet<number>>(new Set());

/** Messages that the reader has collapsed; for those of muted senders the negative id stands for having opened them. */
export const isCollapsed = Object.assign((id: number): boolean => collapsed.value.has(id), {
  toggle(id: number): void {
    const ids = new Set(collapsed.peek());
    if (!ids.delete(id)) ids.add(id);
    collapsed.value = ids;
  },
});

/** Says why an action failed. */
export function showFailure(error: unknown): void {
  toast({ text: error instanceof ApiFailure ? error.message : t('error.unreachable'), kind: 'error' });
}

const toggles = new Toggles(core.api, core.windows.store, () => {
  const { id } = core.state.me;
  const { email = '', full_name = '' } = core.state.people.byId.peek().get(id) ?? {};
  return { id, email, full_name };
});

export async function react(message: Message, emoji: ReactionEmoji, on: boolean): Promise<void> {
  try {
    await toggles.react(message.id, emoji, on);
  } catch (error) {
    showFailure(error);
  }
}

const hasReacted = (message: Message, emoji: ReactionEmoji): boolean =>
  message.reactions.some((of) => of.user_id === core.state.me.id && of.emoji_code === emoji.emoji_code);

export const thumbsUp = (message: Message): Promise<void> => react(message, THUMBS_UP, !hasReacted(message, THUMBS_UP));

/** Joins the first reaction, or leaves it. @returns whether there is one */
export function joinFirst(message: Message): boolean {
  const [first] = message.reactions;
  if (first) void react(message, first, !hasReacted(message, first));
  return first !== undefined;
}

/** Asks the emoji picker, which belongs to the compose box. */
export function pickEmoji(message: Message, anchor: Element): void {
  const { x, y, width, height } = anchor.getBoundingClientRect();
  core.focus.emoji.value = {
    at: { x, y, width, height },
    choose: ({ name, code, type }) =>
      void react(message, { emoji_name: name, emoji_code: code, reaction_type: type }, true),
  };
}

export function reply(message: Message, insert?: string): void {
  const to = conversationOf(message, core.state.me.id);
  core.focus.compose.value = insert === undefined ? { to } : { to, insert };
}

export const replyToSender = (message: Message): void => {
  core.focus.compose.value = { to: { users: [message.sender_id] } };
};

const mentionOf = (message: Message): string => {
  const name = core.state.people.nameOf(message.sender_id) || message.sender_full_name;
  const [, ...others] = core.state.people.active.peek().filter(({ full_name }) => full_name === name);
  return others.length > 0 ? `${name}|${message.sender_id}` : name;
};

export const replyMentioning = (message: Message): void => reply(message, `@**${mentionOf(message)}** `);

export const addressOf = (message: Message): string => {
  const narrow = conversationNarrow(conversationOf(message, core.state.me.id));
  return `${location.origin}/${core.router.hash({ view: 'narrow', narrow, near: message.id })}`;
};

export async function fetchMarkdown(message: Message): Promise<string> {
  const { raw_content } = await core.api.get('/messages/{message_id}', {
    message_id: message.id,
    apply_markdown: false,
  });
  return raw_content;
}

/** The text of a message as a quotation with its sender and address. */
async function quotationOf(message: Message): Promise<string> {
  const text = await fetchMarkdown(message);
  const longest = Math.max(2, ...[...text.matchAll(/^ {0,3}(`{3,})/gm)].map(([, fence = '']) => fence.length));
  const fence = '`'.repeat(longest + 1);
  const sender = `@_**${mentionOf(message)}**`;
  return `${t('messages.quoted', { sender, link: addressOf(message) })}\n${fence}quote\n${text}\n${fence}\n`;
}

export async function quote(message: Message): Promise<void> {
  try {
    reply(message, await quotationOf(message));
  } catch (error) {
    showFailure(error);
  }
}

/** Quotes the message to whom the reader then chooses. */
export async function forward(message: Message): Promise<void> {
  try {
    core.focus.compose.value = { insert: await quotationOf(message) };
  } catch (error) {
    showFailure(error);
  }
}

export async function star(message: Message): Promise<void> {
  try {
    await toggles.star(message.id, !message.flags.includes('starred'));
  } catch (error) {
    showFailure(error);
  }
}

/** Whether the reader may change the text, as far as the client knows: the server decides. */
export function mayEdit(message: Message): boolean {
  const { realm, me } = core.state;
  const { realm_allow_message_editing, realm_message_content_edit_limit_seconds: limit } = realm.value;
  if (message.sender_id !== me.id || !realm_allow_message_editing || message.submessages.length > 0) return false;
  return !limit || core.platform.now() / 1000 - message.timestamp < limit;
}

/** Opens the menu of all actions, which is a chunk of its own. */
export const openActions = (message: Message, window: MessageWindow, anchor: Element): Promise<void> =>
  withLater(({ openMessageMenu }) => openMessageMenu(message, window, anchor));
