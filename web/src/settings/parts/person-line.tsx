import type { ComponentChildren } from 'preact';
import { core } from '../../client/index.js';
import type { Person } from '../../core/index.js';
import { Avatar } from '../../kit/index.js';
import { roleName } from './roles.js';

interface LineProps {
  readonly person: Person;
  /** Buttons at the end. */
  readonly children?: ComponentChildren;
  readonly note?: string | undefined;
}

/** A person in a list: picture, name (opens the profile), role, address. */
export function PersonLine({ person, children, note }: LineProps) {
  const { full_name, avatar_url, user_id, delivery_email, role, is_bot } = person;
  const soft = [note ?? (is_bot ? undefined : roleName(role)), delivery_email].filter(Boolean).join(' · ');
  return (
    <li class="row-line">
      <Avatar name={full_name} src={avatar_url} id={user_id} size={32} />
      <span class="row-text">
        <button type="button" class="link" onClick={() => showPerson(user_id)}>
          {full_name}
        </button>
        <span class="field-hint">{soft}</span>
      </span>
      {children}
    </li>
  );
}

const showPerson = (id: number) => {
  core.focus.profile.value = id;
};
