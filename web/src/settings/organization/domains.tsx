import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { LATER_ICONS, Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SavedMark, useSavingState } from '../parts/saving.js';

/** Domains whose addresses may join, with their subdomains or without. */
export function AllowedDomainsGroup() {
  const [text, setText] = useState('');
  const saving = useSavingState();
  const domains = core.state.realm.value.realm_domains ?? [];
  const add = async (event: Event) => {
    event.preventDefault();
    const domain = text.trim();
    const change = () => core.api.post('/realm/domains', { domain, allow_subdomains: false });
    if (await saving.runChange(change)) setText('');
  };
  return (
    <SettingsGroup title={t('settings.domains')} hint={t('settings.domains-hint')}>
      <form class="setting add-line" onSubmit={(event) => void add(event)}>
        <TextField
          label={t('settings.domain')}
          placeholder="example.com"
          value={text}
          onInput={setText}
          error={saving.error}
        />
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t('settings.add')}
        </Button>
        <SavedMark saving={saving} />
      </form>
      {domains.length === 0 && <EmptyNotice>{t('settings.no-domains')}</EmptyNotice>}
      <ul class="rows">
        {domains.map(({ domain, allow_subdomains }) => (
          <li key={domain} class="row-line">
            <span class="row-text">
              <Toggle
                label={t('settings.subdomains-of', { name: domain })}
                checked={allow_subdomains}
                onChange={(on) =>
                  void saving.runChange(() =>
                    core.api.patch('/realm/domains/{domain}', { domain, allow_subdomains: on }),
                  )
                }
              />
            </span>
            <IconButton
              icon={LATER_ICONS.trash}
              label={t('common.remove-name', { name: domain })}
              onClick={() => void saving.runChange(() => core.api.delete('/realm/domains/{domain}', { domain }))}
            />
          </li>
        ))}
      </ul>
    </SettingsGroup>
  );
}
