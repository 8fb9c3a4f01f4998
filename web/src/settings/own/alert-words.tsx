import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { compareNames, t } from '../../text/index.js';
import { SavedMark, useSavingState } from '../parts/saving.js';

const MAX_ALERT_WORD_LENGTH = 100;

/** Words that notify like a mention. */
export function AlertWordsPage() {
  const [word, setWord] = useState('');
  const saving = useSavingState();
  const words = [...(core.state.realm.value.alert_words ?? [])].sort(compareNames);
  const add = async (event: Event) => {
    event.preventDefault();
    if (word.trim() === '') return;
    if (await saving.runChange(() => core.api.post('/users/me/alert_words', { alert_words: [word] }))) setWord('');
  };
  return (
    <>
      <p class="field-hint">{t('settings.alert-words-hint')}</p>
      <form class="setting add-line" onSubmit={(event) => void add(event)}>
        <TextField
          label={t('settings.new-word')}
          value={word}
          onInput={setWord}
          maxLength={MAX_ALERT_WORD_LENGTH}
          error={saving.error}
        />
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t('settings.add')}
        </Button>
        <SavedMark saving={saving} />
      </form>
      {words.length === 0 ? (
        <EmptyNotice icon="at">{t('settings.no-words')}</EmptyNotice>
      ) : (
        <ul class="rows">
          {words.map((one) => (
            <li key={one} class="row-line">
              <span class="row-text">{one}</span>
              <IconButton
                icon="close"
                label={t('common.remove-name', { name: one })}
                onClick={() =>
                  void saving.runChange(() => core.api.delete('/users/me/alert_words', { alert_words: [one] }))
                }
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
