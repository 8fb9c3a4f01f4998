import { core } from '../../client/index.js';
import { Button, Icon, Spinner } from '../../kit/index.js';
import { formatFullDateTime, formatRelativeTime, t } from '../../text/index.js';
import { FetchFailedNotice } from '../parts/failed.js';
import { useFetchedValue } from '../parts/fetched.js';
import { SavingError, useSavingState } from '../parts/saving.js';

interface SessionInfo {
  readonly id: number;
  /** Seconds since 1970, like `last_used`. */
  readonly created: number;
  readonly last_used: number;
  readonly client: string;
  readonly current: boolean;
}

async function fetchSessions(): Promise<readonly SessionInfo[]> {
  type List = { readonly sessions: readonly SessionInfo[] };
  return (await core.api.callOutsideApi<List>('GET', '/web/sessions')).sessions;
}

const endSession = (id: number): Promise<unknown> => core.api.callOutsideApi('DELETE', `/web/sessions/${id}`);
const endOtherSessions = (): Promise<unknown> => core.api.callOutsideApi('DELETE', '/web/sessions');

/** Browsers that are signed in to the account. */
export function SessionsPage() {
  const sessions = useFetchedValue(fetchSessions);
  const saving = useSavingState();
  if (sessions.error) return <FetchFailedNotice of={sessions} />;
  if (!sessions.value) return <Spinner />;
  const end = (change: () => Promise<unknown>) => void saving.runChange(change).then(sessions.refetch);
  const list = [...sessions.value].sort((a, b) => Number(b.current) - Number(a.current) || b.last_used - a.last_used);
  return (
    <>
      <p class="field-hint">{t('settings.sessions-hint')}</p>
      <SavingError saving={saving} />
      <ul class="rows sessions">
        {list.map(({ id, client, created, last_used, current }) => (
          <li key={id} class="row-line">
            <Icon name="globe" />
            <span class="row-text">
              {client || t('settings.unknown-client')}
              <span class="field-hint">
                {current
                  ? t('settings.this-session')
                  : t('settings.session-used', { ago: formatRelativeTime(last_used * 1000) })}
                {' · '}
                {t('settings.session-since', { time: formatFullDateTime(created * 1000) })}
              </span>
            </span>
            {!current && <Button onClick={() => end(() => endSession(id))}>{t('settings.end-session')}</Button>}
          </li>
        ))}
      </ul>
      {list.length > 1 && (
        <p>
          <Button kind="danger" onClick={() => end(endOtherSessions)}>
            {t('settings.end-others')}
          </Button>
        </p>
      )}
    </>
  );
}
