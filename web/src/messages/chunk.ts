import { runWithLazyChunk } from '../kit/index.js';

type LaterChunk = typeof import('./later/index.js');

const importLaterChunk = (): Promise<LaterChunk> => import('./later/index.js');

/** Key in the session storage of the edits that were open at a reload. */
export const KEPT_EDITS_STORE_KEY = 'edits';

/** A component of the lazy chunk. */
export const makeLaterChunkComponentLoader =
  <K extends keyof LaterChunk>(name: K): (() => Promise<LaterChunk[K]>) =>
  async () =>
    (await importLaterChunk())[name];

/** Calls a function with the lazy chunk of menus, dialogs and widgets; a toast says if the chunk can't be loaded. */
export const withLaterChunk = (run: (later: LaterChunk) => unknown): Promise<void> =>
  runWithLazyChunk(importLaterChunk, run);
