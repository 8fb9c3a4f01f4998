import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Stream } from '../../core/index.js';
import { Button, IconButton, Spinner, TextField } from '../../kit/index.js';
import { compareNames, t } from '../../text/index.js';
import { FetchFailedNotice } from '../parts/failed.js';
import { useFetchedValue } from '../parts/fetched.js';
import { PeopleList } from '../parts/people-list.js';
import { PeoplePicker } from '../parts/people-picker.js';
import { SavedMark, SavingError, useSavingState } from '../parts/saving.js';
import { mayRemoveSubscribers, maySubscribeOthers } from './rights.js';

/** People of a stream: who they are, adding and removing. */
export function StreamSubscribersTab({ stream }: { readonly stream: Stream }) {
  const { stream_id, name } = stream;
  const [added, setAdded] = useState<readonly number[]>([]);
  const [filter, setFilter] = useState('');
  const saving = useSavingState();
  const members = useFetchedValue(
    async () => (await core.api.get('/streams/{stream_id}/members', { stream_id })).subscribers,
    ['subscription/peer_add', 'subscription/peer_remove', 'subscription/add', 'subscription/remove'],
    stream_id,
  );
  if (members.error) return <FetchFailedNotice of={members} />;
  if (!members.value) return <Spinner />;
  const { people, me } = core.state;
  const wanted = filter.trim().toLowerCase();
  const found = members.value
    .map((id) => people.byId.value.get(id))
    .filter((person) => person !== undefined)
    .filter(({ full_name }) => full_name.toLowerCase().includes(wanted))
    .sort((a, b) => compareNames(a.full_name, b.full_name));
  const add = async (event: Event) => {
    event.preventDefault();
    if (added.length === 0) return;
    const body = { subscriptions: [{ name }], principals: added };
    if (await saving.runChange(() => core.api.post('/users/me/subscriptions', body))) {
      setAdded([]);
      members.refetch();
    }
  };
  const remove = (id: number) =>
    void saving
      .runChange(() =>
        core.api.delete('/users/me/subscriptions', {
          subscriptions: [name],
          ...(id === me.id ? {} : { principals: [id] }),
        }),
      )
      .then(members.refetch);
  return (
    <>
      {maySubscribeOthers(stream) && (
        <form class="setting" onSubmit={(event) => void add(event)}>
          <PeoplePicker
            label={t('settings.add-subscribers')}
            chosenIds={added}
            excludedIds={members.value}
            onChange={setAdded}
            error={saving.error}
          />
          {added.length > 0 && (
            <Button kind="primary" type="submit" busy={saving.busy}>
              {t('settings.add')}
            </Button>
          )}
          <SavedMark saving={saving} />
        </form>
      )}
      {!maySubscribeOthers(stream) && <SavingError saving={saving} />}
      <TextField
        type="search"
        hidesLabel
        icon="filter"
        label={t('settings.filter-people')}
        placeholder={t('settings.filter-people')}
        value={filter}
        onInput={setFilter}
      />
      <p class="field-hint">{t('settings.subscribers', { n: members.value.length })}</p>
      <PeopleList
        label={t('settings.subscribers', { n: members.value.length })}
        people={found}
        renderAction={({ user_id, full_name }, tabIndex) =>
          (user_id === me.id || mayRemoveSubscribers(stream)) && (
            <IconButton
              icon="close"
              label={t('common.remove-name', { name: full_name })}
              tabIndex={tabIndex}
              onClick={() => remove(user_id)}
            />
          )
        }
      />
    </>
  );
}
