import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Attachments } from '../../contract/index.js';
import { Button, EmptyNotice, Icon, IconButton, Spinner } from '../../kit/index.js';
import { confirmDeletion, LATER_ICONS } from '../../kit-later/index.js';
import { formatByteSize, formatFullDateTime, t } from '../../text/index.js';
import { FetchFailedNotice } from '../parts/failed.js';
import { useFetchedValue } from '../parts/fetched.js';
import { SavingError, useSavingState } from '../parts/saving.js';

/** Rows shown at first, and added by each press of the button, so that a list of thousands opens at once, too. */
const ROWS_PER_PRESS = 100;
/** Links to the newest messages with a file; the others are counted. */
const MAX_MESSAGE_LINKS = 5;

async function fetchFilesNewestFirst() {
  const { attachments, upload_space_used } = await core.api.get('/attachments', {});
  return {
    files: [...attachments].sort((a, b) => b.create_time - a.create_time || b.id - a.id),
    ownBytes: attachments.reduce((sum, { size }) => sum + size, 0),
    allBytes: upload_space_used,
  };
}

/** Files that the account has uploaded. */
export function UploadedFilesPage() {
  const fetched = useFetchedValue(fetchFilesNewestFirst, ['attachment/add', 'attachment/update', 'attachment/remove']);
  const saving = useSavingState();
  const [shownRows, setShownRows] = useState(ROWS_PER_PRESS);
  if (fetched.error) return <FetchFailedNotice of={fetched} />;
  if (!fetched.value) return <Spinner />;
  const { files, ownBytes, allBytes } = fetched.value;
  const askAndDelete = async ({ id, name }: Attachments) => {
    if (await confirmDeletion(t('settings.delete-name', { name }), t('settings.delete-file-question')))
      await saving.runChange(() => core.api.delete('/attachments/{attachment_id}', { attachment_id: `${id}` }));
  };
  return (
    <>
      <p class="field-hint">
        {t('settings.files-space', { own: formatByteSize(ownBytes), all: formatByteSize(allBytes) })}
      </p>
      <SavingError saving={saving} />
      {files.length === 0 && <EmptyNotice icon={LATER_ICONS.attach}>{t('settings.no-files')}</EmptyNotice>}
      <ul class="rows files">
        {files.slice(0, shownRows).map((file) => (
          <UploadedFileRow key={file.id} file={file} onDelete={() => void askAndDelete(file)} />
        ))}
      </ul>
      {files.length > shownRows && (
        <p>
          <Button onClick={() => setShownRows(shownRows + ROWS_PER_PRESS)}>{t('settings.show-more')}</Button>
        </p>
      )}
    </>
  );
}

function UploadedFileRow({ file, onDelete }: { readonly file: Attachments; readonly onDelete: () => void }) {
  const { name, path_id, size, create_time, messages } = file;
  const newest = [...messages].sort((a, b) => b.id - a.id);
  const others = newest.length - MAX_MESSAGE_LINKS;
  return (
    <li class="row-line">
      <Icon name={LATER_ICONS.attach} />
      <span class="row-text">
        <a href={`/user_uploads/${path_id}`} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
        <span class="field-hint">
          {formatByteSize(size)} · {formatFullDateTime(create_time)}
        </span>
        <span class="field-hint">
          {t(newest.length === 0 ? 'settings.file-unused' : 'settings.file-messages')}
          {newest.slice(0, MAX_MESSAGE_LINKS).map(({ id, date_sent }, index) => (
            <>
              {index === 0 ? ' ' : '; '}
              <a href={core.router.formatHash({ view: 'narrow', narrow: [{ operator: 'id', operand: `${id}` }] })}>
                {formatFullDateTime(date_sent)}
              </a>
            </>
          ))}
          {others > 0 && ` ${t('common.and-more', { n: others })}`}
        </span>
      </span>
      <IconButton
        icon={LATER_ICONS.trash}
        label={t('settings.delete-name', { name })}
        popup="dialog"
        onClick={onDelete}
      />
    </li>
  );
}
