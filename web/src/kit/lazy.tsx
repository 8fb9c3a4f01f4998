import { type ComponentType, type FunctionComponent, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadLaterTexts, t } from '../text/index.js';
import { EmptyNotice, type NoticeAction } from './notice.js';
import { Spinner } from './spinner.js';
import { showToast } from './toast.js';

type LazyComponent<P> = FunctionComponent<P> & {
  /** Loads the chunk. A component that is first shown after that shows no spinner. */
  readonly preload: () => Promise<void>;
};

/** Minimum age of a page that reloads itself, ms. A younger page shows that the last reload did not help. */
const MIN_PAGE_AGE_FOR_RELOAD_MS = 60_000;

export const makeReloadAction = (): NoticeAction => ({ label: t('error.reload'), run: () => location.reload() });

interface MissingChunkNotice {
  readonly text: string;
  /** A reload, if the server now has another version of the client; absent: the chunk may arrive later. */
  readonly action?: NoticeAction;
}

/** Finds out why a chunk did not arrive: an upgrade of the server, or an unreachable server. */
async function explainMissingChunk(): Promise<MissingChunkNotice> {
  const page = await fetch('/').then(
    (answer) => (answer.ok ? answer.text() : ''),
    () => '',
  );
  return page && !page.includes(import.meta.url.slice(location.origin.length))
    ? { text: t('error.unexpected'), action: makeReloadAction() }
    : { text: t('error.unreachable') };
}

/**
 * A component whose chunk is fetched when it is first shown. Without a network the fetch fails, and a notice offers to
 * try again. After an upgrade the server may no longer have the chunk: the page then reloads itself, or offers that.
 * @param loadTexts texts that the component needs beside those of the first view
 */
export function makeLazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  loadTexts = loadLaterTexts,
): LazyComponent<P> {
  let loaded: ComponentType<P> | undefined;
  const preload = async (): Promise<void> => {
    [loaded] = await Promise.all([load(), loadTexts()]);
  };
  function Lazy(props: P) {
    const [failure, setFailure] = useState<MissingChunkNotice>();
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (failure) return;
      // The chunk may have arrived since the render.
      if (loaded) {
        setReady(true);
        return;
      }
      let shown = true;
      preload().then(
        () => shown && setReady(true),
        async () => {
          const notice = await explainMissingChunk();
          if (!shown) return;
          if (notice.action && performance.now() > MIN_PAGE_AGE_FOR_RELOAD_MS) location.reload();
          else setFailure(notice);
        },
      );
      return () => {
        shown = false;
      };
    }, [failure]);
    if (loaded) return h(loaded, props);
    if (!failure) return <Spinner />;
    const { text, action = { label: t('common.retry'), run: () => setFailure(undefined) } } = failure;
    return (
      <div class="opening">
        <EmptyNotice icon="offline" action={action}>
          {text}
        </EmptyNotice>
      </div>
    );
  }
  return Object.assign(Lazy, { preload });
}

/**
 * Loads a chunk and its texts, and passes the chunk to `run`. If the chunk does not arrive, a toast says so. After an
 * upgrade of the server the toast offers a reload; the page does not reload itself, because of unsaved edits.
 */
export async function runWithLazyChunk<T>(load: () => Promise<T>, run: (chunk: T) => unknown): Promise<void> {
  let chunk: T;
  try {
    [chunk] = await Promise.all([load(), loadLaterTexts()]);
  } catch {
    showToast({ ...(await explainMissingChunk()), kind: 'error' });
    return;
  }
  await run(chunk);
}
