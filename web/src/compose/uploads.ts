import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { ApiFailure } from '../core/index.js';
import { t } from '../text/index.js';
import type { Composer } from './composer.js';

export interface ComposeUpload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sentBytes: number;
  readonly error?: string;
  readonly cancel: () => void;
}

const BYTES_PER_MIB = 1_048_576;

/** Files on their way, and those that failed until they are dismissed. */
export const unfinishedUploads = signal<readonly ComposeUpload[]>([]);
let lastUploadId = 0;

function changeUpload(id: number, part: Partial<ComposeUpload>): void {
  unfinishedUploads.value = unfinishedUploads.value.map((one) => (one.id === id ? { ...one, ...part } : one));
}

export function removeUploadFromList(id: number): void {
  unfinishedUploads.value = unfinishedUploads.value.filter((one) => one.id !== id);
}

/** A name in brackets keeps its own brackets. */
const formatFileLink = (name: string, uri: string): string => `[${name.replace(/[[\]]/g, '\\$&')}](${uri})`;

async function uploadFileAndInsertLink(composer: Composer, file: File): Promise<void> {
  const id = ++lastUploadId;
  const abort = new AbortController();
  const { name, size } = file;
  const cancel = () => {
    abort.abort();
    removeUploadFromList(id);
  };
  unfinishedUploads.value = [...unfinishedUploads.value, { id, name, size, sentBytes: 0, cancel }];
  const limit = core.state.realm.value.max_file_upload_size_mib ?? 0;
  if (limit > 0 && size > limit * BYTES_PER_MIB) {
    changeUpload(id, { error: t('compose.upload-too-large', { n: limit }) });
    return;
  }
  try {
    const { uri } = await core.api.uploadFile('/user_uploads', file, (sent) => changeUpload(id, { sentBytes: sent }), {
      signal: abort.signal,
    });
    removeUploadFromList(id);
    const text = composer.text.peek();
    const at = composer.textArea?.selectionStart ?? text.length;
    const before = at > 0 && !/\s$/.test(text.slice(0, at)) ? '\n' : '';
    composer.insertAtCaret(`${before}${formatFileLink(name, uri)}\n`);
  } catch (error) {
    if (abort.signal.aborted) return;
    changeUpload(id, { error: error instanceof ApiFailure ? error.message : t('compose.upload-failed') });
  }
}

/** Uploads files and puts links to them into the text. */
export function uploadFiles(composer: Composer, files: Iterable<File>): void {
  composer.openAndFocus();
  for (const file of files) void uploadFileAndInsertLink(composer, file);
}
