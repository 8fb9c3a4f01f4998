import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, EmptyNotice, IconButton } from '../../kit/index.js';
import { Select } from '../../kit-later/index.js';
import { compareNames, t } from '../../text/index.js';
import { SavedMark, useSavingState } from '../parts/saving.js';

/** Streams to which every new account is subscribed. */
export function DefaultStreamsPage() {
  const { realm, streams } = core.state;
  const defaults = [...(realm.value.realm_default_streams ?? [])].sort((a, b) => compareNames(a.name, b.name));
  const others = streams.allSortedByName.value.filter(
    ({ stream_id, invite_only }) => !invite_only && !defaults.some((one) => one.stream_id === stream_id),
  );
  const [chosen, setChosen] = useState<number>();
  const saving = useSavingState();
  const next = others.find(({ stream_id }) => stream_id === chosen) ?? others[0];
  const add = (event: Event) => {
    event.preventDefault();
    if (next) void saving.runChange(() => core.api.post('/default_streams', { stream_id: next.stream_id }));
  };
  return (
    <>
      <p class="field-hint">{t('settings.default-streams-hint')}</p>
      {next && (
        <form class="setting add-line" onSubmit={add}>
          <Select
            label={t('common.stream')}
            value={next.stream_id}
            options={others.map(({ stream_id, name }) => ({ value: stream_id, label: `#${name}` }))}
            onChange={setChosen}
            error={saving.error}
          />
          <Button kind="primary" type="submit" busy={saving.busy}>
            {t('settings.add')}
          </Button>
          <SavedMark saving={saving} />
        </form>
      )}
      {defaults.length === 0 && <EmptyNotice icon="hash">{t('settings.no-default-streams')}</EmptyNotice>}
      <ul class="rows">
        {defaults.map(({ stream_id, name }) => (
          <li key={stream_id} class="row-line">
            <span class="row-text">#{name}</span>
            <IconButton
              icon="close"
              label={t('common.remove-name', { name })}
              onClick={() => void saving.runChange(() => core.api.delete('/default_streams', { stream_id }))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
