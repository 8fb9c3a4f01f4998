import { core, formatFailureText } from '../client/index.js';
import { ApiFailure, type OpenDraft } from '../core/index.js';
import { formatFileLink, makeOwnLine } from '../editing/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';
import type { Composer, ComposeUpload } from './composer.js';

const BYTES_PER_MIB = 1_048_576;

let lastUploadId = 0;

/** Files whose links go into the text that the box has. */
export const listUploadsInBox = (composer: Composer): readonly ComposeUpload[] =>
  composer.uploads.value.filter(({ draft }) => composer.isInBox(draft));

function changeUpload({ uploads }: Composer, id: number, part: Partial<ComposeUpload>): void {
  uploads.value = uploads.peek().map((one) => (one.id === id ? { ...one, ...part } : one));
}

export function removeUploadFromList({ uploads }: Composer, id: number): void {
  uploads.value = uploads.peek().filter((one) => one.id !== id);
}

/** The box shows the failure. After the reader has left the box, a toast shows it, too. */
function showUploadFailure(composer: Composer, { id, draft, name }: ComposeUpload, error: string): void {
  changeUpload(composer, id, { error });
  // Another account has signed in.
  if (composer.userId !== core.state.me.id) return;
  if (!composer.isOpen.peek() || !composer.isInBox(draft)) showToast({ text: `${name}: ${error}`, kind: 'error' });
}

/** Puts the link on a line of its own: at the caret, or at the end of a draft that the reader has left. */
function insertFileLink(composer: Composer, draft: OpenDraft, link: string): void {
  // Another account has signed in.
  if (composer.userId !== core.state.me.id) return;
  const makeLine = (before: string): string => makeOwnLine(link, before);
  if (composer.isInBox(draft)) {
    composer.insertAtCaret(makeLine(composer.text.peek().slice(0, composer.textArea?.selectionStart)));
  } else composer.appendToLeftDraft(draft, makeLine);
}

async function uploadFileAndInsertLink(composer: Composer, file: File): Promise<void> {
  const id = ++lastUploadId;
  const abort = new AbortController();
  const { name, size } = file;
  const draft = composer.currentDraft;
  const cancel = () => {
    abort.abort();
    removeUploadFromList(composer, id);
  };
  const upload: ComposeUpload = { id, draft, name, size, sentBytes: 0, cancel };
  composer.uploads.value = [...composer.uploads.peek(), upload];
  const limit = core.state.realm.value.max_file_upload_size_mib ?? 0;
  if (limit > 0 && size > limit * BYTES_PER_MIB) {
    showUploadFailure(composer, upload, t('compose.upload-too-large', { n: limit }));
    return;
  }
  const noteProgress = (sentBytes: number) => changeUpload(composer, id, { sentBytes });
  try {
    const { uri } = await core.api.uploadFile('/user_uploads', file, noteProgress, { signal: abort.signal });
    removeUploadFromList(composer, id);
    insertFileLink(composer, draft, formatFileLink(name, uri));
  } catch (error) {
    if (abort.signal.aborted) return;
    const text = error instanceof ApiFailure ? formatFailureText(error) : t('compose.upload-failed');
    showUploadFailure(composer, upload, text);
  }
}

/** Uploads files. Their links go into the draft that the box has now. */
export function uploadFiles(composer: Composer, files: Iterable<File>): void {
  composer.openAndFocus();
  for (const file of files) void uploadFileAndInsertLink(composer, file);
}
