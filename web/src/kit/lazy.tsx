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

export const makeReloadAction = (): NoticeAction => ({ label: t('error.reload'), run: () => location.reload() });

/**
 * A component whose chunk is fetched when it is first shown. A fetch fails without a network, or if the server has been
 * upgraded and no longer has the chunk; a notice with a button to try again is shown then.
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
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (failed) return;
      // The chunk may have arrived since the render.
      if (loaded) {
        setReady(true);
        return;
      }
      let shown = true;
      preload().then(
        () => shown && setReady(true),
        () => shown && setFailed(true),
      );
      return () => {
        shown = false;
      };
    }, [failed]);
    if (loaded) return h(loaded, props);
    if (!failed) return <Spinner />;
    return (
      <div class="opening">
        <EmptyNotice icon="offline" action={{ label: t('common.retry'), run: () => setFailed(false) }}>
          {t('error.unreachable')}
        </EmptyNotice>
      </div>
    );
  }
  return Object.assign(Lazy, { preload });
}

/** Loads a chunk and its texts, and does something with it. A toast says that the chunk did not arrive. */
export async function runWithLazyChunk<T>(load: () => Promise<T>, run: (chunk: T) => unknown): Promise<void> {
  let chunk: T;
  try {
    [chunk] = await Promise.all([load(), loadLaterTexts()]);
  } catch {
    showToast({ text: t('error.unreachable'), kind: 'error' });
    return;
  }
  await run(chunk);
}
