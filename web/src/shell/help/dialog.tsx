import { useSignal } from '@preact/signals';
import { SHORTCUT_GROUPS, SHORTCUTS, type ShortcutId } from '../../keyboard/index.js';
import {
  announceToScreenReader,
  Button,
  Dialog,
  IconButton,
  isApplePlatform,
  KeyCaps,
  pageShortcuts,
  TextField,
} from '../../kit/index.js';
import { confirm, LATER_ICONS, Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { KeyCaptureButton } from './key-taker.js';

interface ShortcutLineProps {
  readonly id: ShortcutId;
  readonly isEditing: boolean;
  readonly onEditingChange: (id: ShortcutId | undefined) => void;
}

/** One shortcut: name, keys, and the buttons that change them. */
function ShortcutHelpRow({ id, isEditing, onEditingChange }: ShortcutLineProps) {
  const name = t(`shortcut.${id}`);
  // Only Apple's keyboards have a Control key beside the one of commands: elsewhere both have the name Ctrl.
  const chords = pageShortcuts.getChords(id).filter((chord) => isApplePlatform() || !chord.startsWith('Ctrl+'));
  const changed = pageShortcuts.customChordsById.value[id] !== undefined;
  return (
    <li class="help-row">
      <span>{name}</span>
      {isEditing ? (
        <KeyCaptureButton
          id={id}
          onDone={(chord) => {
            if (chord !== undefined) {
              pageShortcuts.setCustomChords(id, [chord]);
              announceToScreenReader(t('help.changed', { name, keys: chord }));
            }
            onEditingChange(undefined);
          }}
        />
      ) : (
        <span class="help-keys">
          {chords.map((chord, index) => (
            <span key={chord}>
              {index > 0 && `${t('common.or')} `}
              <KeyCaps chord={chord} />
            </span>
          ))}
        </span>
      )}
      {changed ? (
        <IconButton
          icon={LATER_ICONS.refresh}
          label={t('help.reset', { name })}
          onClick={() => pageShortcuts.setCustomChords(id, undefined)}
        />
      ) : (
        <IconButton icon="edit" label={t('help.change', { name })} onClick={() => onEditingChange(id)} size={16} />
      )}
    </li>
  );
}

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const filter = useSignal('');
  const changing = useSignal<ShortcutId | undefined>(undefined);
  const wanted = filter.value.trim().toLowerCase();
  const shown = pageShortcuts.listShortcutIds().filter((id) => t(`shortcut.${id}`).toLowerCase().includes(wanted));
  const resetAll = async () => {
    const text = t('help.reset-all');
    if (await confirm({ title: text, text, confirmLabel: t('help.reset-all') }))
      pageShortcuts.customChordsById.value = {};
  };
  return (
    <Dialog title={t('help.title')} size="large" onClose={onClose}>
      <TextField
        type="search"
        hidesLabel
        icon="search"
        label={t('help.filter')}
        placeholder={t('help.filter')}
        value={filter.value}
        onInput={(value) => {
          filter.value = value;
        }}
      />
      <div class="help-groups">
        {SHORTCUT_GROUPS.map((group) => {
          const ids = shown.filter((id) => SHORTCUTS[id].group === group);
          return (
            ids.length > 0 && (
              <section class="help-group" key={group} aria-labelledby={`help-${group}`}>
                <h3 id={`help-${group}`}>{t(`help.group.${group}`)}</h3>
                <ul>
                  {ids.map((id) => (
                    <ShortcutHelpRow
                      key={id}
                      id={id}
                      isEditing={changing.value === id}
                      onEditingChange={(next) => {
                        changing.value = next;
                      }}
                    />
                  ))}
                </ul>
              </section>
            )
          );
        })}
      </div>
      {shown.length === 0 && <p role="status">{t('common.no-results')}</p>}
      <Toggle
        label={t('help.single-keys')}
        hint={t('help.single-keys-hint')}
        checked={pageShortcuts.areSingleKeysEnabled.value}
        onChange={(on) => {
          pageShortcuts.areSingleKeysEnabled.value = on;
        }}
      />
      {Object.keys(pageShortcuts.customChordsById.value).length > 0 && (
        <Button onClick={() => void resetAll()}>{t('help.reset-all')}</Button>
      )}
    </Dialog>
  );
}
