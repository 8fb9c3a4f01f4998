import { type ComponentType, type FunctionComponent, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../text/index.js';
import { Button } from './button.js';
import { EmptyNotice, Spinner } from './spinner.js';

/**
 * A component that comes as a chunk of its own when it is first shown. A chunk that does not arrive (no network, or a
 * server that was upgraded meanwhile) is said, with a button.
 */
export function makeLazyComponent<P extends object>(load: () => Promise<ComponentType<P>>): FunctionComponent<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded || failed) return;
      let shown = true;
      load().then(
        (component) => {
          loaded = component;
          if (shown) setReady(true);
        },
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
        <EmptyNotice icon="offline">{t('error.unreachable')}</EmptyNotice>
        <Button onClick={() => setFailed(false)}>{t('common.retry')}</Button>
      </div>
    );
  };
}
