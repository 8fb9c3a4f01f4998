import { useId, useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Avatar, Field, IconButton } from '../../kit/index.js';
import { t } from '../../text/index.js';

const MAX_SHOWN = 8;

interface PickerProps {
  readonly label: string;
  readonly chosen: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
  /** People who are not offered. */
  readonly without?: readonly number[];
  readonly bots?: boolean;
  readonly error?: string | undefined;
}

/** Chooses people by name: a field, the matches below it, the chosen ones above. */
export function PeoplePicker({ label, chosen, onChange, without = [], bots = true, error }: PickerProps) {
  const [text, setText] = useState('');
  const id = useId();
  const wanted = text.trim().toLowerCase();
  const { people } = core.state;
  const matches =
    wanted === ''
      ? []
      : people.active.value.filter(
          ({ user_id, full_name, is_bot, email }) =>
            (bots || !is_bot) &&
            !chosen.includes(user_id) &&
            !without.includes(user_id) &&
            (full_name.toLowerCase().includes(wanted) || email.toLowerCase().startsWith(wanted)),
        );
  const add = (user: number) => {
    onChange([...chosen, user]);
    setText('');
    document.getElementById(id)?.querySelector('input')?.focus();
  };
  return (
    <div class="people-picker" id={id}>
      {chosen.length > 0 && (
        <ul class="chips" aria-label={label}>
          {chosen.map((user) => (
            <li key={user} class="chip">
              <Avatar name={people.nameOf(user)} src={people.byId.value.get(user)?.avatar_url} id={user} size={20} />
              {people.nameOf(user)}
              <IconButton
                icon="close"
                size={14}
                label={t('settings.remove-name', { name: people.nameOf(user) })}
                onClick={() => onChange(chosen.filter((one) => one !== user))}
              />
            </li>
          ))}
        </ul>
      )}
      <Field
        label={label}
        error={error}
        icon="user"
        value={text}
        placeholder={t('settings.people-filter')}
        onInput={setText}
        onKeyDown={(event) => {
          const [first] = matches;
          if (event.key !== 'Enter' || !wanted) return;
          event.preventDefault();
          if (first) add(first.user_id);
        }}
      />
      {wanted !== '' && (
        <ul class="matches">
          {matches.slice(0, MAX_SHOWN).map((person) => (
            <li key={person.user_id}>
              <button type="button" class="match" onClick={() => add(person.user_id)}>
                <Avatar name={person.full_name} src={person.avatar_url} id={person.user_id} size={24} />
                <span>{person.full_name}</span>
                <span class="row-soft">{person.delivery_email ?? ''}</span>
              </button>
            </li>
          ))}
          {matches.length === 0 && <li class="row-note">{t('common.no-results')}</li>}
        </ul>
      )}
    </div>
  );
}
