import type { ComponentChild } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../../kit/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { SavedMark, SavingError, useSavingState } from './saving.js';

interface PictureEntryProps {
  /** Name of the picture for screen readers. */
  readonly label: string;
  readonly picture: ComponentChild;
  readonly maxMib: number;
  readonly upload: (file: File) => Promise<unknown>;
  /** Removes the own picture; absent where there is none, or none can be removed. */
  readonly remove?: (() => Promise<unknown>) | undefined;
}

/** A picture that can be replaced and removed. */
export function PictureEntry({ label, picture, maxMib, upload, remove }: PictureEntryProps) {
  const saving = useSavingState();
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxMib * 1024 * 1024) saving.showError(t('settings.too-large', { n: maxMib }));
    else void saving.runChange(() => upload(file));
  };
  return (
    <fieldset class="setting picture-entry">
      <legend class="hidden">{label}</legend>
      {picture}
      <div>
        <p class="settings-buttons">
          <input
            ref={input}
            class="hidden"
            type="file"
            accept="image/*"
            aria-label={t('settings.choose-file', { name: label })}
            tabIndex={-1}
            onChange={(event) => {
              take(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
          <Button icon={LATER_ICONS.image} busy={saving.busy} onClick={() => input.current?.click()}>
            {t('settings.upload')}
          </Button>
          {remove && (
            <Button kind="quiet" onClick={() => void saving.runChange(remove)}>
              {t('settings.remove')}
            </Button>
          )}
        </p>
        <p class="field-hint">{t('settings.picture-limit', { n: maxMib })}</p>
        <SavingError saving={saving} />
      </div>
      <SavedMark saving={saving} />
    </fieldset>
  );
}
