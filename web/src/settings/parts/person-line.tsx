import type { ComponentChildren } from 'preact';
import { core } from '../../client/index.js';
import type { Person } from '../../core/index.js';
import { Avatar } from '../../kit/index.js';
import { formatRoleName } from './roles.js';

interface PersonLineProps {
  readonly person: Person;
  /** Buttons at the end. */
  readonly children?: ComponentChildren;
  readonly note?: string | undefined;
}

/** A person in a list: picture, name (opens the profile), role, address. */
export function PersonLine({ person, children, note }: PersonLineProps) {
  const { full_name, avatar_url, user_id, delivery_email, role, is_bot } = person;
  const soft = [note ?? (is_bot ? undefined : formatRoleName(role)), delivery_email].filter(Boolean).join(' · ');
  return (
    <li class="row-line">
      <Avatar name={full_name} src={avatar_url} id={user_id} size={32} />
      <span class="row-text">
        <button type="button" class="link" onClick={() => openPersonDialog(user_id)}>
          {full_name}
        </button>
        <span class="field-hint">{soft}</span>
      </span>
      {children}
    </li>
  );
}

const openPersonDialog = (id: number) => {
  core.sharedViewState.shownProfileUserId.value = id;
};
