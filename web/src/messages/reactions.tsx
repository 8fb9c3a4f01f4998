import { core } from '../client/index.js';
import type { EmojiReaction, Message } from '../contract/index.js';
import { IconButton } from '../kit/index.js';
import { formatList, t } from '../text/index.js';
import { pickEmoji, react } from './actions.js';
import { charactersOf } from './content/index.js';

const EXTRA: Readonly<Record<string, string>> = {
  conclave: '/static/emoji/conclave.png',
  zulip: '/static/generated/emoji/images/emoji/unicode/zulip.png',
};
/** Names that a tooltip lists. */
const MAX_NAMES = 20;

interface Group {
  readonly of: EmojiReaction;
  readonly users: readonly number[];
}

function groupsOf(reactions: readonly EmojiReaction[]): readonly Group[] {
  const groups = new Map<string, { of: EmojiReaction; users: number[] }>();
  for (const of of reactions) {
    const key = `${of.reaction_type} ${of.emoji_code}`;
    const group = groups.get(key) ?? { of, users: [] };
    groups.set(key, group);
    group.users.push(of.user_id);
  }
  return [...groups.values()];
}

/** An emoji as its characters, or as a picture of this server. */
export function Emoji({ of }: { readonly of: Pick<EmojiReaction, 'emoji_name' | 'emoji_code' | 'reaction_type'> }) {
  if (of.reaction_type === 'unicode_emoji') return <span aria-hidden="true">{charactersOf(of.emoji_code)}</span>;
  const custom = core.state.emoji.byId.value[of.emoji_code];
  const src = of.reaction_type === 'realm_emoji' ? custom?.source_url : EXTRA[of.emoji_code];
  if (!src) return <span aria-hidden="true">:{of.emoji_name}:</span>;
  return <img class="emoji" src={src} alt="" width={18} height={18} />;
}

/** Reactions with their numbers; a press joins or leaves. */
export function Reactions({ message }: { readonly message: Message }) {
  const groups = groupsOf(message.reactions);
  if (groups.length === 0) return null;
  const { me, people } = core.state;
  return (
    <div class="reactions">
      {groups.map(({ of, users }) => {
        const mine = users.includes(me.id);
        const others = users.length - MAX_NAMES;
        const names = users.slice(0, MAX_NAMES).map((id) => (id === me.id ? t('messages.you') : people.nameOf(id)));
        if (others > 0) names.push(t('common.and-more', { n: others }));
        const label = t('messages.reacted', { n: users.length, names: formatList(names), emoji: of.emoji_name });
        return (
          <button
            key={`${of.reaction_type} ${of.emoji_code}`}
            type="button"
            class="reaction"
            aria-pressed={mine}
            aria-label={label}
            data-tip={label}
            disabled={me.id === 0}
            onClick={() => void react(message, of, !mine)}
          >
            <Emoji of={of} />
            <span>{users.length}</span>
          </button>
        );
      })}
      {me.id !== 0 && (
        <IconButton
          icon="smile"
          label={t('messages.react')}
          size={16}
          class="reaction-add"
          onClick={(event) => pickEmoji(message, event.currentTarget)}
        />
      )}
    </div>
  );
}
