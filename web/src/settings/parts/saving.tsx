import { useEffect, useRef, useState } from 'preact/hooks';
import { formatFailureText } from '../../client/index.js';
import { Icon } from '../../kit/index.js';
import { t } from '../../text/index.js';

const SAVED_MARK_SHOWN_MS = 3_000;

export interface SavingState {
  readonly phase: 'idle' | 'busy' | 'saved';
  readonly busy: boolean;
  /** Why the last try failed. */
  readonly error: string | undefined;
  /** Carries out a change. @returns whether it succeeded */
  runChange(change: () => Promise<unknown>): Promise<boolean>;
  /** Says an error that was found before the server was asked; undefined: takes it back. */
  showError(error: string | undefined): void;
}

/** State of one change: busy, saved for a moment, or refused. */
export function useSavingState(): SavingState {
  const [phase, setPhase] = useState<SavingState['phase']>('idle');
  const [error, setError] = useState<string>();
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  useEffect(() => {
    if (phase !== 'saved') return;
    const timer = window.setTimeout(() => setPhase('idle'), SAVED_MARK_SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [phase]);
  return {
    phase,
    busy: phase === 'busy',
    error,
    showError: setError,
    async runChange(change) {
      setPhase('busy');
      setError(undefined);
      try {
        await change();
        if (shown.current) setPhase('saved');
        return true;
      } catch (failure) {
        if (shown.current) {
          setPhase('idle');
          setError(formatFailureText(failure));
        }
        return false;
      }
    },
  };
}

/** "Saved" beside a control, for a moment; screen readers say it. */
export function SavedMark({ saving }: { readonly saving: SavingState }) {
  return (
    <span class="saved-mark" role="status">
      {saving.phase === 'saved' && (
        <>
          <Icon name="check" size={16} />
          {t('settings.saved')}
        </>
      )}
    </span>
  );
}

/** The refusal of a change that has no field of its own. */
export function SavingError({ saving }: { readonly saving: SavingState }) {
  return saving.error ? (
    <p class="field-error" role="alert">
      <Icon name="warning" size={16} />
      {saving.error}
    </p>
  ) : null;
}
