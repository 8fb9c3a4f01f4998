import { useCallback } from 'preact/hooks';
import { displayZone } from '../../text/index.js';
import { decorateMessageHtml } from './decorate.js';
import { sanitizeHtml } from './sanitize.js';

/** HTML that an element shows. */
const shownHtmlByElement = new WeakMap<Element, string>();

/** Nodes of texts whose elements are not there yet. */
const preparedNodesByKey = new Map<string, DocumentFragment>();

const makeContentKey = (html: string, isMeMessage: boolean): string => `${isMeMessage}${html}`;

function makeContentNodes(html: string, isMeMessage: boolean): DocumentFragment {
  const root = sanitizeHtml(html);
  decorateMessageHtml(root, isMeMessage);
  return root;
}

/** Makes the nodes of a text before its element is rendered, as a piece of work of its own. */
export function prepareMessageContent(html: string, isMeMessage: boolean): void {
  preparedNodesByKey.set(makeContentKey(html, isMeMessage), makeContentNodes(html, isMeMessage));
}

/** Nodes that were prepared and not shown are not needed any more. */
export function forgetPreparedContent(): void {
  preparedNodesByKey.clear();
}

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
  // Times in the text are those of the reader's zone, so another zone makes the nodes again.
  const zone = html.includes('<time') ? displayZone.value?.name : undefined;
  const fill = useCallback(
    (element: HTMLElement | null) => {
      const key = makeContentKey(html, isMeMessage);
      const shown = `${zone} ${key}`;
      if (!element || shownHtmlByElement.get(element) === shown) return;
      shownHtmlByElement.set(element, shown);
      const prepared = preparedNodesByKey.get(key);
      // The nodes move into the element, so another one with the same text needs its own.
      preparedNodesByKey.delete(key);
      element.replaceChildren(prepared ?? makeContentNodes(html, isMeMessage));
    },
    [html, isMeMessage, zone],
  );
  return <div ref={fill} class={`content ${rest.class ?? ''}`} dir="auto" />;
}
