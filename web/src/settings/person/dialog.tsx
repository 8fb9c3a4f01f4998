import { core } from '../../client/index.js';
import { Dialog } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { PersonCard } from './card.js';

const closePersonDialog = () => {
  core.sharedViewState.shownProfileUserId.value = undefined;
};

/** The person of `core.sharedViewState.shownProfileUserId`, in a dialog. */
export function PersonDialog() {
  const id = core.sharedViewState.shownProfileUserId.value;
  const person = id === undefined ? undefined : core.state.people.byId.value.get(id);
  if (!person) return null;
  return (
    <Dialog key={id} title={t('settings.profile')} size="small" onClose={closePersonDialog}>
      <PersonCard person={person} onNavigate={closePersonDialog} />
    </Dialog>
  );
}
