import { useCallback } from 'preact/hooks';
import { decorateMessageHtml } from './decorate.js';
import { sanitizeHtml } from './sanitize.js';

/** HTML that an element shows. */
const shownHtmlByElement = new WeakMap<Element, string>();

interface MessageContentProps {
  readonly html: string;
  readonly isMeMessage?: boolean;
  readonly class?: string;
}

/**
 * The server's HTML. It is put in while the element is attached, before the list measures the row, so that a row has
 * its height from the first moment.
 */
export function MessageContent({ html, isMeMessage = false, ...rest }: MessageContentProps) {
  const fill = useCallback(
    (element: HTMLElement | null) => {
      const key = `${isMeMessage}${html}`;
      if (!element || shownHtmlByElement.get(element) === key) return;
      shownHtmlByElement.set(element, key);
      const root = sanitizeHtml(html);
      decorateMessageHtml(root, isMeMessage);
      element.replaceChildren(root);
    },
    [html, isMeMessage],
  );
  return <div ref={fill} class={`content ${rest.class ?? ''}`} dir="auto" />;
}
