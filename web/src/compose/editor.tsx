import { useLayoutEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { useTextCompletion } from '../completion/index.js';
import {
  applyTextAreaEdit,
  enterSends,
  listTransferredFiles,
  makeListContinuationEdit,
  readTextSelection,
} from '../editing/index.js';
import { pageShortcuts } from '../kit/index.js';
import { t } from '../text/index.js';
import type { Composer } from './composer.js';
import { sendComposedMessage } from './send.js';
import { uploadFiles } from './uploads.js';

/** Whether the browser fits the height of a text area to its text. */
const TEXT_AREA_SIZES_ITSELF = CSS.supports('field-sizing', 'content');

/** Names the conversation that the text goes to. */
function formatComposePlaceholder(composer: Composer): string {
  const to = composer.targetConversation.value;
  if (!to) return t('compose.label');
  const { people, streams, me } = core.state;
  if ('stream' in to) return t('compose.to-topic', { stream: streams.getStreamName(to.stream), topic: to.topic });
  if (to.users.length === 1 && to.users[0] === me.id) return t('compose.to-self');
  return t('compose.to-people', { names: to.users.map((id) => people.getFullName(id)).join(', ') });
}

/** A URL that is pasted over a selected text makes the text a link. */
function makeLinkFromPastedUrl(area: HTMLTextAreaElement, pasted: string): string | undefined {
  const { text, start, end } = readTextSelection(area);
  const selected = text.slice(start, end);
  const isLink = /^https?:\/\/\S+$/.test(pasted.trim());
  if (!isLink || selected === '' || /[\n[\]]/.test(selected) || /^https?:/.test(selected)) return undefined;
  return `[${selected}](${pasted.trim()})`;
}

/** The text area with completions. */
export function ComposeTextEditor({
  composer,
  describedBy,
}: {
  readonly composer: Composer;
  readonly describedBy: string;
}) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const completion = useTextCompletion(ref, composer.targetConversation.value, (edit) =>
    composer.applyUndoableEdit(edit),
  );
  useLayoutEffect(() => composer.mountTextArea(ref.current!, applyTextAreaEdit), []);
  useLayoutEffect(() => {
    const area = ref.current;
    if (TEXT_AREA_SIZES_ITSELF || !area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [TEXT_AREA_SIZES_ITSELF || composer.text.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    const area = ref.current;
    if (!area || event.isComposing) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (completion.takeKey(event)) return;
    if (event.key === 'Enter' && plain) {
      if (enterSends() && !event.shiftKey) {
        event.preventDefault();
        void sendComposedMessage(composer);
        return;
      }
      const edit = makeListContinuationEdit(readTextSelection(area));
      if (!edit) return;
      event.preventDefault();
      composer.applyUndoableEdit(edit);
    } else if (
      (event.key === 'ArrowUp' || event.key === 'ArrowLeft') &&
      plain &&
      !event.shiftKey &&
      area.value === ''
    ) {
      if (pageShortcuts.runShortcut('edit-last')) event.preventDefault();
    }
  };
  return (
    <>
      <textarea
        ref={ref}
        class="compose-text"
        rows={1}
        aria-label={formatComposePlaceholder(composer)}
        aria-describedby={describedBy}
        {...completion.attributes}
        placeholder={formatComposePlaceholder(composer)}
        dir="auto"
        onInput={(event) => {
          composer.handleTypedText(event.currentTarget.value);
          completion.look(event.currentTarget);
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = listTransferredFiles(event.clipboardData);
          const link = makeLinkFromPastedUrl(event.currentTarget, event.clipboardData?.getData('text/plain') ?? '');
          if (files.length === 0 && link === undefined) return;
          event.preventDefault();
          if (link !== undefined) composer.insertAtCaret(link);
          else uploadFiles(composer, files);
        }}
      />
      {completion.list}
    </>
  );
}
