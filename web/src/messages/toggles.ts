import type { EmojiReaction, Message } from '../contract/index.js';
import { type Api, ApiFailure, type MessageStore } from '../core/index.js';

export type ReactionEmoji = Pick<EmojiReaction, 'emoji_name' | 'emoji_code' | 'reaction_type'>;

interface ReactingUser {
  readonly id: number;
  readonly email: string;
  readonly full_name: string;
}

/**
 * Reactions and stars of the reader. A press shows at once, so that a second press turns it off although the server has
 * not answered the first. Requests about one reaction or star go one after another: beside each other the later could
 * arrive first.
 */
export class OptimisticToggles {
  readonly #latestRequestByKey = new Map<string, Promise<unknown>>();

  constructor(
    private readonly api: Pick<Api, 'post' | 'delete'>,
    private readonly store: Pick<MessageStore, 'changeMessage'>,
    private readonly reader: () => ReactingUser,
  ) {}

  /** @throws ApiFailure when the server refuses; the message is then shown as before */
  async setReaction(id: number, emoji: ReactionEmoji, on: boolean): Promise<void> {
    const { emoji_name, emoji_code, reaction_type } = emoji;
    const params = { message_id: id, emoji_name, emoji_code, reaction_type };
    const show = (shown: boolean): void =>
      this.store.changeMessage(id, (before) => this.#withReaction(before, emoji, shown));
    await this.#toggleOptimistically(`${id} ${reaction_type} ${emoji_code}`, on, show, async () => {
      try {
        if (on) await this.api.post('/messages/{message_id}/reactions', params);
        else await this.api.delete('/messages/{message_id}/reactions', params);
      } catch (error) {
        // "Reaction already exists." and "Reaction doesn't exist.": another tab was first.
        if (!(error instanceof ApiFailure && error.message.startsWith('Reaction '))) throw error;
      }
    });
  }

  /** @throws ApiFailure when the server refuses; the message is then shown as before */
  async setStar(id: number, on: boolean): Promise<void> {
    const show = (shown: boolean): void =>
      this.store.changeMessage(id, (before) => {
        const others = before.flags.filter((flag) => flag !== 'starred');
        return { ...before, flags: shown ? [...others, 'starred'] : others };
      });
    await this.#toggleOptimistically(`${id} star`, on, show, () =>
      this.api.post('/messages/flags', { messages: [id], op: on ? 'add' : 'remove', flag: 'starred' }),
    );
  }

  async #toggleOptimistically(
    key: string,
    on: boolean,
    show: (on: boolean) => void,
    send: () => Promise<unknown>,
  ): Promise<void> {
    show(on);
    const before = this.#latestRequestByKey.get(key)?.catch(() => {}) ?? Promise.resolve();
    const sent = before.then(send);
    this.#latestRequestByKey.set(key, sent);
    try {
      await sent;
    } catch (error) {
      // A later press has its own answer.
      if (this.#latestRequestByKey.get(key) === sent) show(!on);
      throw error;
    } finally {
      if (this.#latestRequestByKey.get(key) === sent) this.#latestRequestByKey.delete(key);
    }
  }

  #withReaction(message: Message, emoji: ReactionEmoji, on: boolean): Message {
    const { id, email, full_name } = this.reader();
    const { emoji_name, emoji_code, reaction_type } = emoji;
    const others = message.reactions.filter(
      (of) => of.user_id !== id || of.emoji_code !== emoji_code || of.reaction_type !== reaction_type,
    );
    if (!on) return { ...message, reactions: others };
    const user = { id, email, full_name, is_mirror_dummy: false };
    return { ...message, reactions: [...others, { emoji_name, emoji_code, reaction_type, user_id: id, user }] };
  }
}
