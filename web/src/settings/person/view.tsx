import { core } from '../../client/index.js';
import { EmptyNotice } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { PersonCard } from './card.js';

const stayOnPage = () => {};

/** `#users/12`: a person as a page, for links. */
export function PersonView({ parts }: { readonly parts: readonly string[] }) {
  const person = core.state.people.byId.value.get(Number(parts[0]));
  return (
    <div class="settings-page">
      <div class="settings-content">
        {person ? (
          <PersonCard person={person} onNavigate={stayOnPage} />
        ) : (
          <EmptyNotice icon="user">{t('settings.no-person')}</EmptyNotice>
        )}
      </div>
    </div>
  );
}
