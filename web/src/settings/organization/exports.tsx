import { useEffect } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Events } from '../../contract/index.js';
import { Button, EmptyNotice, Icon, IconButton, Spinner } from '../../kit/index.js';
import { confirm, LATER_ICONS } from '../../kit-later/index.js';
import { formatFullDateTime, t } from '../../text/index.js';
import { FetchFailedNotice } from '../parts/failed.js';
import { useFetchedValue } from '../parts/fetched.js';
import { SavingError, useSavingState } from '../parts/saving.js';

type DataExport = Events['realm_export']['exports'][number];

/** Events tell of the own exports only. Those of other administrators are looked at again after this time. */
const REFETCH_MS = 10_000;

async function fetchExportsNewestFirst(): Promise<readonly DataExport[]> {
  type List = { readonly exports: readonly DataExport[] };
  const { exports } = (await core.api.get('/export/realm', {})) as unknown as List;
  return [...exports].reverse();
}

function formatExportState({ pending, failed_timestamp, deleted_timestamp }: DataExport): string {
  if (pending) return t('settings.export-pending');
  if (failed_timestamp !== null) return t('settings.export-failed');
  if (deleted_timestamp === null) return t('settings.export-done');
  return t('settings.export-deleted', { time: formatFullDateTime(deleted_timestamp * 1000) });
}

/** Archives of the public data of the organization. */
export function DataExportsPage() {
  const exports = useFetchedValue(fetchExportsNewestFirst, ['realm_export']);
  const saving = useSavingState();
  const isAnyPending = exports.value?.some(({ pending }) => pending) === true;
  useEffect(() => {
    if (!isAnyPending) return;
    const timer = window.setInterval(exports.refetch, REFETCH_MS);
    return () => window.clearInterval(timer);
  }, [isAnyPending]);
  if (exports.error) return <FetchFailedNotice of={exports} />;
  if (!exports.value) return <Spinner />;
  const run = async (change: () => Promise<unknown>) => {
    if (await saving.runChange(change)) exports.refetch();
  };
  return (
    <>
      <p class="field-hint">{t('settings.exports-hint')}</p>
      <p>
        <Button
          kind="primary"
          busy={saving.busy || isAnyPending}
          onClick={() => void run(() => core.api.post('/export/realm', {}))}
        >
          {t('settings.start-export')}
        </Button>
      </p>
      <SavingError saving={saving} />
      {exports.value.length === 0 && <EmptyNotice icon="arrow-down">{t('settings.no-exports')}</EmptyNotice>}
      <ul class="rows exports" aria-live="polite">
        {exports.value.map((one) => (
          <DataExportRow
            key={one.id}
            of={one}
            onDelete={() => void run(() => core.api.delete('/export/realm/{export_id}', { export_id: one.id }))}
          />
        ))}
      </ul>
    </>
  );
}

function DataExportRow({ of, onDelete }: { readonly of: DataExport; readonly onDelete: () => void }) {
  const time = formatFullDateTime(of.export_time * 1000);
  const askAndDelete = async () => {
    const action = t('settings.delete-export', { time });
    const confirmLabel = t('common.delete');
    if (await confirm({ title: action, text: t('settings.delete-export-question'), confirmLabel, danger: true }))
      onDelete();
  };
  return (
    <li class="row-line">
      {of.pending ? <Spinner small /> : <Icon name={of.failed_timestamp === null ? 'resolved' : 'warning'} />}
      <span class="row-text">
        {t('settings.export-of', { time, name: core.state.people.getFullName(of.acting_user_id) })}
        <span class="field-hint">{formatExportState(of)}</span>
      </span>
      {of.export_url !== null && (
        <>
          <a class="button" href={of.export_url} download="">
            {t('settings.download')}
          </a>
          <IconButton
            icon={LATER_ICONS.trash}
            label={t('settings.delete-export', { time })}
            popup="dialog"
            onClick={() => void askAndDelete()}
          />
        </>
      )}
    </li>
  );
}
