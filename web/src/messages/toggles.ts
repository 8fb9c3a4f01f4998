import type { EmojiReaction, Message } from '../contract/index.js';
import { type ApiClient, ApiFailure, type MessageStore, type Platform } from '../core/index.js';
import { PressedValues } from '../toggles/index.js';

export type ReactionEmoji = Pick<EmojiReaction, 'emoji_name' | 'emoji_code' | 'reaction_type'>;

interface ReactingUser {
  readonly id: number;
  readonly email: string;
  readonly full_name: string;
}

interface OwnReaction {
  readonly id: number;
  readonly emoji: ReactionEmoji;
}

/** Reactions and stars of the reader. Messages show them at the press, before the server has answered. */
export class OptimisticToggles {
  readonly #reactions: PressedValues<OwnReaction, boolean>;
  readonly #stars: PressedValues<number, boolean>;

  constructor(
    private readonly api: Pick<ApiClient, 'post' | 'delete'>,
    store: Pick<MessageStore, 'changeMessage' | 'peek'>,
    private readonly reader: () => ReactingUser,
    platform: Pick<Platform, 'setTimer' | 'clearTimer'>,
  ) {
    this.#reactions = new PressedValues<OwnReaction, boolean>(
      {
        keyOf: ({ id, emoji: { reaction_type, emoji_code } }) => `${id} ${reaction_type} ${emoji_code}`,
        known: ({ id, emoji }) => store.peek(id)?.reactions.some((of) => this.#isOwn(of, emoji)) === true,
        show: ({ id, emoji }, on) => store.changeMessage(id, (before) => this.#copyWithReaction(before, emoji, on)),
        send: (reaction, on) => this.#sendReaction(reaction, on),
      },
      () => platform,
    );
    this.#stars = new PressedValues<number, boolean>(
      {
        keyOf: String,
        known: (id) => store.peek(id)?.flags.includes('starred') === true,
        show: (id, on) => store.changeMessage(id, (before) => withStar(before, on)),
        send: (id, on) => api.post('/messages/flags', { messages: [id], op: on ? 'add' : 'remove', flag: 'starred' }),
      },
      () => platform,
    );
  }

  /** @throws ApiFailure when the server refuses; the message is then shown as before */
  setReaction(id: number, emoji: ReactionEmoji, on: boolean): Promise<void> {
    return this.#reactions.press({ id, emoji }, on);
  }

  /** @throws ApiFailure when the server refuses; the message is then shown as before */
  setStar(id: number, on: boolean): Promise<void> {
    return this.#stars.press(id, on);
  }

  async #sendReaction({ id, emoji }: OwnReaction, on: boolean): Promise<void> {
    const { emoji_name, emoji_code, reaction_type } = emoji;
    const params = { message_id: id, emoji_name, emoji_code, reaction_type };
    try {
      if (on) await this.api.post('/messages/{message_id}/reactions', params);
      else await this.api.delete('/messages/{message_id}/reactions', params);
    } catch (error) {
      // "Reaction already exists." and "Reaction doesn't exist.": another tab was first.
      if (!(error instanceof ApiFailure && error.message.startsWith('Reaction '))) throw error;
    }
  }

  #isOwn(of: EmojiReaction, { emoji_code, reaction_type }: ReactionEmoji): boolean {
    return of.user_id === this.reader().id && of.emoji_code === emoji_code && of.reaction_type === reaction_type;
  }

  #copyWithReaction(message: Message, emoji: ReactionEmoji, on: boolean): Message {
    const { id, email, full_name } = this.reader();
    const { emoji_name, emoji_code, reaction_type } = emoji;
    const others = message.reactions.filter((of) => !this.#isOwn(of, emoji));
    if (!on) return { ...message, reactions: others };
    const user = { id, email, full_name, is_mirror_dummy: false };
    return { ...message, reactions: [...others, { emoji_name, emoji_code, reaction_type, user_id: id, user }] };
  }
}

function withStar(message: Message, on: boolean): Message {
  const others = message.flags.filter((flag) => flag !== 'starred');
  return { ...message, flags: on ? [...others, 'starred'] : others };
}
