import { showToast } from '../kit/index.js';
import { loadLaterTexts, t } from '../text/index.js';

type LaterChunk = typeof import('./later/index.js');

const loadLaterChunk = async (): Promise<LaterChunk> =>
  (await Promise.all([import('./later/index.js'), loadLaterTexts()]))[0];

/** A component of the lazy chunk. */
export const makeLaterChunkComponentLoader =
  <K extends keyof LaterChunk>(name: K): (() => Promise<LaterChunk[K]>) =>
  async () =>
    (await loadLaterChunk())[name];

/** Calls a function with the lazy chunk of menus, dialogs and widgets; a toast says if the chunk can't be loaded. */
export async function withLaterChunk(run: (later: LaterChunk) => unknown): Promise<void> {
  let later: LaterChunk;
  try {
    later = await loadLaterChunk();
  } catch {
    showToast({ text: t('error.unreachable'), kind: 'error' });
    return;
  }
  await run(later);
}
