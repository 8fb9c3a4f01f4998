import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatChord, makeKeyCapLabels, type ShortcutId } from '../../keyboard/index.js';
import { isApplePlatform, pageShortcuts } from '../../kit/index.js';
import { t } from '../../text/index.js';

interface KeyCaptureButtonProps {
  readonly id: ShortcutId;
  /** @param chord undefined if Escape was pressed or the focus was lost */
  readonly onDone: (chord: string | undefined) => void;
}

/** Button that waits for the new keys of a shortcut. */
export function KeyCaptureButton({ id, onDone }: KeyCaptureButtonProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const conflict = useSignal('');
  // A layout effect: a key that is pressed at once must count.
  useLayoutEffect(() => ref.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return onDone(undefined);
    const chord = formatChord(event, isApplePlatform());
    if (chord === undefined) return;
    const [other] = pageShortcuts.findConflictingShortcutIds(id, chord);
    if (other === undefined) return onDone(chord);
    const keys = makeKeyCapLabels(chord, t, isApplePlatform()).join(' ');
    conflict.value = t('help.conflict', { keys, name: t(`shortcut.${other}`) });
  };
  return (
    <button type="button" ref={ref} class="help-press" onKeyDown={onKeyDown} onBlur={() => onDone(undefined)}>
      <span role="status">{conflict.value || t('help.press')}</span>
    </button>
  );
}
