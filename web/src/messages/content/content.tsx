import { useCallback } from 'preact/hooks';
import { core } from '../../client/index.js';
import { displayZone } from '../../text/index.js';
import { decorateMessageHtml } from './decorate.js';
import { sanitizeHtml } from './sanitize.js';

/** HTML that an element shows, with the time zone and the names of mentioned people. */
const shownHtmlByElement = new WeakMap<Element, string>();

/** Prepared nodes of texts that are not rendered yet. */
const preparedNodesByKey = new Map<string, DocumentFragment>();

const makeContentKey = (html: string, isMeMessage: boolean): string => `${isMeMessage}${html}`;

/** An error in the decoration of one text goes to the console, and never takes down the list of messages. */
function makeContentNodes(html: string, isMeMessage: boolean): DocumentFragment {
  const root = sanitizeHtml(html);
  try {
    decorateMessageHtml(root, isMeMessage);
  } catch (error) {
    console.error(error);
  }
  return root;
}

/** Makes the nodes of a text before it is rendered. */
export function prepareMessageContent(html: string, isMeMessage: boolean): void {
  preparedNodesByKey.set(makeContentKey(html, isMeMessage), makeContentNodes(html, isMeMessage));
}

/** Drops prepared nodes that were not shown. */
export function forgetPreparedContent(): void {
  preparedNodesByKey.clear();
}

/** Names of the people whom the HTML mentions. Reads signals. */
const findMentionedNames = (html: string): string =>
  [...html.matchAll(/ data-user-id="(\d+)"/g)].map(([, id]) => core.state.people.getFullName(Number(id))).join();

interface MessageContentProps {
  readonly html: string;
  readonly isMeMessage?: boolean;
  readonly class?: string;
}

/** The server's HTML. A `ref` inserts the nodes, so that the row has its height before the list measures it. */
export function MessageContent({ html, isMeMessage = false, ...rest }: MessageContentProps) {
  // Times in the text are those of the reader's zone, so another zone makes the nodes again.
  const zone = html.includes('<time') ? displayZone.value?.name : undefined;
  // A mention has the name of now.
  const names = findMentionedNames(html);
  const fill = useCallback(
    (element: HTMLElement | null) => {
      const key = makeContentKey(html, isMeMessage);
      const shown = `${zone} ${names} ${key}`;
      if (!element || shownHtmlByElement.get(element) === shown) return;
      shownHtmlByElement.set(element, shown);
      const prepared = preparedNodesByKey.get(key);
      // The nodes move into the element, so another one with the same text needs its own.
      preparedNodesByKey.delete(key);
      element.replaceChildren(prepared ?? makeContentNodes(html, isMeMessage));
    },
    [html, isMeMessage, zone, names],
  );
  return <div ref={fill} class={`content ${rest.class ?? ''}`} dir="auto" />;
}
