import type { ComponentChildren } from 'preact';
import { core } from '../../client/index.js';
import type { Person } from '../../core/index.js';
import { Avatar, type RowFocusAttributes, VirtualList } from '../../kit/index.js';
import { formatRoleName } from './roles.js';

/** Height of a row in pixels: two lines of text, which are cut off. */
const PERSON_ROW_HEIGHT_PX = 56;

interface PeopleListProps {
  readonly label: string;
  readonly people: readonly Person[];
  /** A button at the end of a row, with the `tabIndex` of the row. */
  readonly renderAction: (person: Person, tabIndex: number) => ComponentChildren;
}

/**
 * People of any number: those on screen are in the document. Tab reaches one row and its button; arrows, Home and End
 * move among the rows.
 */
export function PeopleList({ label, people, renderAction }: PeopleListProps) {
  if (people.length === 0) return null;
  return (
    <div class="people-list" style={{ height: `${people.length * PERSON_ROW_HEIGHT_PX}px` }}>
      <VirtualList items={people} getItemKey={getPersonId} getItemHeightPx={getPersonRowHeight} label={label}>
        {(person, row) => (
          <div class="row-line">
            <PersonFacts person={person} row={row} />
            {renderAction(person, row.tabIndex)}
          </div>
        )}
      </VirtualList>
    </div>
  );
}

const getPersonId = ({ user_id }: Person): number => user_id;
const getPersonRowHeight = (): number => PERSON_ROW_HEIGHT_PX;

/** Picture, name (opens the profile), role, address. */
function PersonFacts({ person, row }: { readonly person: Person; readonly row: RowFocusAttributes }) {
  const { full_name, avatar_url, user_id, delivery_email, role, is_bot } = person;
  const soft = [is_bot ? undefined : formatRoleName(role), delivery_email].filter(Boolean).join(' · ');
  return (
    <>
      <Avatar name={full_name} src={avatar_url} id={user_id} size={32} />
      <span class="row-text">
        <button type="button" class="link" data-cut="" onClick={() => openPersonDialog(user_id)} {...row}>
          {full_name}
        </button>
        <span class="field-hint" data-cut="">
          {soft}
        </span>
      </span>
    </>
  );
}

const openPersonDialog = (id: number) => {
  core.sharedViewState.shownProfileUserId.value = id;
};
