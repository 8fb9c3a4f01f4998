import { core } from '../client/index.js';
import type { EmojiReaction, Message } from '../contract/index.js';
import { IconButton } from '../kit/index.js';
import { formatNameList, t } from '../text/index.js';
import { requestReactionEmoji, setReaction } from './actions.js';
import { decodeEmojiCode } from './content/index.js';

const EXTRA_EMOJI_PICTURE_BY_CODE: Readonly<Record<string, string>> = {
  conclave: '/static/emoji/conclave.png',
  zulip: '/static/generated/emoji/images/emoji/unicode/zulip.png',
};
/** With more reactions than this, a message shows numbers instead of names. */
const MAX_REACTIONS_WITH_NAMES = 3;
/** Names that a tooltip lists. */
const MAX_TOOLTIP_NAMES = 20;

interface ReactionGroup {
  readonly reaction: EmojiReaction;
  readonly users: readonly number[];
}

function groupReactionsByEmoji(reactions: readonly EmojiReaction[]): readonly ReactionGroup[] {
  const groups = new Map<string, { reaction: EmojiReaction; users: number[] }>();
  for (const reaction of reactions) {
    const key = `${reaction.reaction_type} ${reaction.emoji_code}`;
    const group = groups.get(key) ?? { reaction, users: [] };
    groups.set(key, group);
    group.users.push(reaction.user_id);
  }
  return [...groups.values()];
}

/** An emoji as its characters, or as a picture of this server. */
export function EmojiGlyph({
  of,
}: {
  readonly of: Pick<EmojiReaction, 'emoji_name' | 'emoji_code' | 'reaction_type'>;
}) {
  if (of.reaction_type === 'unicode_emoji') return <span aria-hidden="true">{decodeEmojiCode(of.emoji_code)}</span>;
  const custom = core.state.emoji.customEmojiById.value[of.emoji_code];
  const src = of.reaction_type === 'realm_emoji' ? custom?.source_url : EXTRA_EMOJI_PICTURE_BY_CODE[of.emoji_code];
  if (!src) return <span aria-hidden="true">:{of.emoji_name}:</span>;
  return <img class="emoji" src={src} alt="" width={18} height={18} />;
}

/** Reactions with their numbers, or with names while there are few; a press joins or leaves. */
export function MessageReactions({ message }: { readonly message: Message }) {
  const groups = groupReactionsByEmoji(message.reactions);
  if (groups.length === 0) return null;
  const { me, people } = core.state;
  const withNames =
    me.settings.value.display_emoji_reaction_users === true && message.reactions.length <= MAX_REACTIONS_WITH_NAMES;
  return (
    <div class="reactions">
      {groups.map(({ reaction, users }) => {
        const mine = users.includes(me.id);
        const others = users.length - MAX_TOOLTIP_NAMES;
        const names = users
          .slice(0, MAX_TOOLTIP_NAMES)
          .map((id) => (id === me.id ? t('messages.you') : people.getFullName(id)));
        if (others > 0) names.push(t('common.and-more', { n: others }));
        const label = t('messages.reacted', {
          n: users.length,
          names: formatNameList(names),
          emoji: reaction.emoji_name,
        });
        return (
          <button
            key={`${reaction.reaction_type} ${reaction.emoji_code}`}
            type="button"
            class="reaction"
            aria-pressed={mine}
            aria-label={label}
            data-tip={label}
            disabled={me.id === 0}
            onClick={() => void setReaction(message, reaction, !mine)}
          >
            <EmojiGlyph of={reaction} />
            <span>{withNames ? names.join(', ') : users.length}</span>
          </button>
        );
      })}
      {me.id !== 0 && (
        <IconButton
          icon="smile"
          label={t('messages.react')}
          size={16}
          class="reaction-add"
          onClick={(event) => requestReactionEmoji(message, event.currentTarget)}
        />
      )}
    </div>
  );
}
