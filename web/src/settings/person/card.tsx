import { core } from '../../client/index.js';
import { makeDirectNarrow, type Person } from '../../core/index.js';
import { Avatar, Button } from '../../kit/index.js';
import { confirm, LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { SavingError, useSavingState } from '../parts/saving.js';
import { PersonFacts } from './facts.js';

interface PersonCardProps {
  readonly person: Person;
  /** Called when an action leads elsewhere. */
  readonly onNavigate: () => void;
}

/** A person: picture, status, facts, and what one can do. */
export function PersonCard({ person, onNavigate }: PersonCardProps) {
  const { user_id, full_name, avatar_url, is_active, is_bot } = person;
  const { people } = core.state;
  const status = people.statusByUserId.value.get(user_id);
  const presence = is_bot ? undefined : people.getPresenceLevel(user_id);
  return (
    <div class="person-card">
      <div class="person-head">
        <Avatar name={full_name} src={avatar_url} id={user_id} size={80} />
        <div>
          <p class="person-name">{full_name}</p>
          {!is_active && <p class="row-soft">{t('settings.is-deactivated')}</p>}
          {presence && <p class="row-soft">{t(`presence.${presence}`)}</p>}
          {(status?.status_text || status?.emoji_name) && (
            <p class="person-status">
              {status.emoji_name && <StatusEmoji status={status} />} {status.status_text}
            </p>
          )}
        </div>
      </div>
      <PersonFacts person={person} />
      <PersonActions person={person} onNavigate={onNavigate} />
    </div>
  );
}

interface StatusEmojiProps {
  readonly status: { readonly emoji_name?: string; readonly emoji_code?: string; readonly reaction_type?: string };
}

/** The emoji of a status: a character, or a picture of the organization. */
function StatusEmoji({ status: { emoji_name = '', emoji_code = '', reaction_type } }: StatusEmojiProps) {
  const own = reaction_type === 'realm_emoji' ? core.state.emoji.customEmojiById.value[emoji_code] : undefined;
  if (own) return <img class="emoji-picture" src={own.source_url} alt={`:${emoji_name}:`} width={20} height={20} />;
  if (!/^[0-9a-f]+(-[0-9a-f]+)*$/.test(emoji_code)) return <>:{emoji_name}:</>;
  return <>{String.fromCodePoint(...emoji_code.split('-').map((code) => Number.parseInt(code, 16)))}</>;
}

function PersonActions({ person, onNavigate }: PersonCardProps) {
  const { user_id, full_name, is_active } = person;
  const { me, muting } = core.state;
  const saving = useSavingState();
  const isMuted = muting.mutedAtByUserId.value.has(user_id);
  const isSelf = user_id === me.id;
  const leave = (run: () => void) => () => {
    onNavigate();
    run();
  };
  const mute = async () => {
    const path = '/users/me/muted_users/{muted_user_id}';
    if (isMuted) return saving.runChange(() => core.api.delete(path, { muted_user_id: user_id }));
    const agreed = await confirm({
      title: t('settings.mute-name', { name: full_name }),
      text: t('settings.mute-question'),
      confirmLabel: t('settings.mute'),
    });
    return agreed && saving.runChange(() => core.api.post(path, { muted_user_id: user_id }));
  };
  return (
    <>
      <div class="person-actions">
        {is_active && (
          <Button
            kind="primary"
            icon="direct"
            onClick={leave(() => core.router.navigate({ view: 'narrow', narrow: makeDirectNarrow([user_id]) }))}
          >
            {t('settings.direct-message')}
          </Button>
        )}
        {is_active && !isSelf && core.router.route.value.view === 'narrow' && (
          <Button
            icon="at"
            onClick={leave(() => {
              core.sharedViewState.composeRequest.value = { insertedText: `@**${full_name}|${user_id}** ` };
            })}
          >
            {t('settings.mention')}
          </Button>
        )}
        <Button
          icon="search"
          onClick={leave(() =>
            core.router.navigate({ view: 'narrow', narrow: [{ operator: 'sender', operand: user_id }] }),
          )}
        >
          {t('settings.view-messages')}
        </Button>
        {isSelf ? (
          <Button icon="edit" onClick={leave(() => core.router.navigate({ view: 'settings', parts: ['profile'] }))}>
            {t('settings.edit-profile')}
          </Button>
        ) : (
          me.id !== 0 &&
          !person.is_bot && (
            <Button icon={LATER_ICONS.mute} busy={saving.busy} onClick={() => void mute()}>
              {t(isMuted ? 'settings.unmute-user' : 'settings.mute')}
            </Button>
          )
        )}
      </div>
      <SavingError saving={saving} />
    </>
  );
}
