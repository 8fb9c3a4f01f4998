import { core } from '../../client/index.js';
import { Dialog } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { PersonCard } from './card.js';

const close = () => {
  core.focus.profile.value = undefined;
};

/** The person that `core.focus.profile` asks for, in a dialog. */
export function PersonDialog() {
  const id = core.focus.profile.value;
  const person = id === undefined ? undefined : core.state.people.byId.value.get(id);
  if (!person) return null;
  return (
    <Dialog key={id} title={t('settings.profile')} size="small" onClose={close}>
      <PersonCard person={person} onGo={close} />
    </Dialog>
  );
}
