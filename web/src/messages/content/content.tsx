import { useCallback } from 'preact/hooks';
import { decorate } from './decorate.js';
import { sanitize } from './sanitize.js';

/** HTML that an element shows. */
const shown = new WeakMap<Element, string>();

interface ContentProps {
  readonly html: string;
  readonly isMe?: boolean;
  readonly class?: string;
}

/**
 * The server's HTML. It is put in while the element is attached, before the list measures the row, so that a row has
 * its height from the first moment.
 */
export function Content({ html, isMe = false, ...rest }: ContentProps) {
  const fill = useCallback(
    (element: HTMLElement | null) => {
      const key = `${isMe}${html}`;
      if (!element || shown.get(element) === key) return;
      shown.set(element, key);
      const root = sanitize(html);
      decorate(root, isMe);
      element.replaceChildren(root);
    },
    [html, isMe],
  );
  return <div ref={fill} class={`content ${rest.class ?? ''}`} dir="auto" />;
}
