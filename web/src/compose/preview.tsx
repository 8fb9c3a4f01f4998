import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { core, formatFailureText } from '../client/index.js';
import { Spinner } from '../kit/index.js';
import { t } from '../text/index.js';
import type { Composer } from './composer.js';

interface PreviewProps {
  readonly composer: Composer;
  readonly content: ComponentType<{ readonly html: string }>;
}

/** The text as the server renders it. */
export function ServerRenderedPreview({ composer, content: Content }: PreviewProps) {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    core.api
      .post('/messages/render', { content: composer.text.peek() }, { signal: abort.signal })
      .then(({ rendered }) => setHtml(rendered))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        composer.isPreviewing.value = false;
        composer.error.value = formatFailureText(error);
      });
    return () => abort.abort();
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long preview scrolls by keys
    <section class="compose-preview" aria-label={t('compose.preview')} tabIndex={0}>
      {html === undefined ? <Spinner /> : <Content html={html} />}
    </section>
  );
}
