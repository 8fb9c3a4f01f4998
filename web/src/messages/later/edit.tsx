import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { core, formatFailureText } from '../../client/index.js';
import { useTextCompletion } from '../../completion/index.js';
import type { Message } from '../../contract/index.js';
import {
  ApiFailure,
  type Conversation,
  getMessageConversation,
  type MessageWindow,
  makeConversationNarrow,
  makeNarrowKey,
} from '../../core/index.js';
import {
  applyTextAreaEdit,
  enterSends,
  formatFileLink,
  listTransferredFiles,
  makeBoldToggleEdit,
  makeItalicToggleEdit,
  makeLinkEdit,
  makeOwnLine,
  readTextSelection,
  type TextEdit,
  type TextSelection,
} from '../../editing/index.js';
import { awaitOrToastError, showFailureToast } from '../../failures/index.js';
import {
  Button,
  Dialog,
  keepOverReloads,
  openLayer,
  Spinner,
  showToast,
  takeKept,
  useShortcut,
} from '../../kit/index.js';
import { CharCounter, confirm, findTooLongText } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { fetchMessageMarkdown, openReply } from '../actions.js';
import { KEPT_EDITS_STORE_KEY } from '../chunk.js';

interface MessageEdit {
  /** The account that edits. Another one that signs in on this page never sees the text. */
  readonly user: number;
  /** Markdown of the message when the edit began. */
  readonly original: string;
  readonly text: string;
  /** The message when the text was last changed. */
  readonly message: Message;
}

/**
 * Edits that are not saved. A box that goes with its row or its view shows its text again when it is back, also after
 * a reload.
 */
const editByMessageId = new Map<number, MessageEdit>();
/** Messages whose edit box is in the document. */
const idsWithBox = new Set<number>();
let isListening = false;

const findOwnEdit = (id: number): MessageEdit | undefined => {
  const edit = editByMessageId.get(id);
  return edit?.user === core.state.me.id ? edit : undefined;
};

keepOverReloads(KEPT_EDITS_STORE_KEY, () => {
  const edits = [...editByMessageId].filter(([id]) => findOwnEdit(id));
  return edits.length === 0 ? undefined : { user: core.state.me.id, edits };
});

/** Takes back the edits of before a reload, and opens the box of the last one. */
export function restoreKeptEdits(): void {
  const kept = takeKept<{ user: number; edits: [id: number, edit: MessageEdit][] }>(
    KEPT_EDITS_STORE_KEY,
    core.state.me.id,
  );
  if (!kept) return;
  for (const [id, edit] of kept.edits) {
    editByMessageId.set(id, edit);
    core.sharedViewState.editedMessageId.value = id;
  }
  keepTextsOfDeletedMessages();
}

function discardEdit(id: number): void {
  editByMessageId.delete(id);
  if (core.sharedViewState.editedMessageId.peek() === id) core.sharedViewState.editedMessageId.value = undefined;
}

function discardEditAndCloseBox(id: number): void {
  discardEdit(id);
  document.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus({ preventScroll: true });
}

/** For Escape, which may be pressed by mistake, and the button beside Save. */
function discardEditWithUndo(id: number): void {
  const edit = findOwnEdit(id);
  discardEditAndCloseBox(id);
  if (!edit || edit.text === edit.original) return;
  const restore = () => {
    if (edit.user !== core.state.me.id) return;
    editByMessageId.set(id, edit);
    core.sharedViewState.editedMessageId.value = id;
  };
  showToast({ text: t('message.edit-discarded'), action: { label: t('common.undo'), run: restore } });
}

/** Asks before an edit replaces a text saved elsewhere since it began. @returns whether to save the edit */
async function confirmIfChangedElsewhere(message: Message, original: string): Promise<boolean> {
  const text = await fetchMessageMarkdown(message);
  return text === original || confirm({ title: t('message.edit-replace'), text, confirmLabel: t('common.save') });
}

/** Whether a message has left the list on screen, because it was deleted, or moved while the reader stayed. */
function hasLeftListOnScreen(id: number, { narrowKey, messageIds, lastListChange }: MessageWindow): boolean {
  const { value: route } = core.router.route;
  const isOnScreen = route.view === 'narrow' && makeNarrowKey(route.narrow) === narrowKey;
  // A list that was just loaded around another message may lack this one.
  return isOnScreen && !messageIds.peek().includes(id) && lastListChange.peek().kind !== 'loaded';
}

/** Puts the text of an edit into the compose box if the message has left the list: its edit box is gone, too. */
function putTextIntoComposeBoxIfMessageLeft(message: Message, window: MessageWindow): void {
  const { id } = message;
  const edit = findOwnEdit(id);
  if (!edit || !hasLeftListOnScreen(id, window)) return;
  discardEditAndCloseBox(id);
  openReply(core.windows.messageStore.peek(id) ?? message, edit.text);
  showToast({ text: t('message.edit-kept') });
}

/** Edits of the account whose box is not on screen. */
const findLeftEdit = (id: number): MessageEdit | undefined => (idsWithBox.has(id) ? undefined : findOwnEdit(id));

/** Makes the text of an edit that was left for another view a draft. @param place where the deleted message was last */
function keepTextAsDraft(id: number, place?: Conversation): void {
  const edit = findLeftEdit(id);
  if (!edit) return;
  discardEdit(id);
  const conversation = place ?? getMessageConversation(edit.message, edit.user);
  core.sharedViewState.composeRequest.value = { conversation, insertedText: edit.text, inBackground: true };
  const narrow = makeConversationNarrow(conversation);
  const run = () => core.router.navigate({ view: 'narrow', narrow });
  showToast({ text: t('message.edit-kept-draft'), action: { label: t('common.show'), run } });
}

/** Finds messages that were deleted while no event said so, and keeps the texts of their edits. */
async function keepTextsOfMessagesDeletedUnseen(): Promise<void> {
  for (const id of [...editByMessageId.keys()].filter(findLeftEdit)) {
    try {
      await core.api.get('/messages/{message_id}', { message_id: id });
    } catch (error) {
      // The server knows no such message. Other failures say nothing about it.
      if (error instanceof ApiFailure && error.status === 400) keepTextAsDraft(id);
    }
  }
}

/** Keeps the texts of edits that were left for another view as drafts when their messages are deleted. */
function keepTextsOfDeletedMessages(): void {
  if (isListening) return;
  isListening = true;
  core.listenToEvents('delete_message', ({ message_ids, message_id = 0, stream_id, topic = '' }) => {
    const place = stream_id === undefined ? undefined : { stream: stream_id, topic };
    for (const id of message_ids ?? [message_id]) keepTextAsDraft(id, place);
  });
  // Runs now, too: the page may have been reloaded since the edit began.
  core.stateReloadCount.subscribe(() => void keepTextsOfMessagesDeletedUnseen());
}

/** Edits the text of a message in its place. */
export function EditBox({ message, window }: { readonly message: Message; readonly window: MessageWindow }) {
  const { id } = message;
  const [edit, setEdit] = useState(findOwnEdit(id));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const completion = useTextCompletion(field, getMessageConversation(message, core.state.me.id), (change) => {
    if (field.current) applyTextAreaEdit(field.current, change);
  });
  const applyToSelection = (makeEdit: (of: TextSelection) => TextEdit): boolean => {
    const area = field.current;
    if (!area || document.activeElement !== area) return false;
    applyTextAreaEdit(area, makeEdit(readTextSelection(area)));
    return true;
  };
  useShortcut('bold', () => applyToSelection(makeBoldToggleEdit));
  useShortcut('italic', () => applyToSelection(makeItalicToggleEdit));
  useShortcut('link', () => applyToSelection((of) => makeLinkEdit(of, t('compose.link-text'))));
  useEffect(() => {
    if (edit !== undefined) return;
    fetchMessageMarkdown(message).then(
      (markdown) => setEdit({ user: core.state.me.id, original: markdown, text: markdown, message }),
      (error) => {
        showFailureToast(error);
        discardEditAndCloseBox(id);
      },
    );
  }, []);
  useLayoutEffect(() => {
    keepTextsOfDeletedMessages();
    idsWithBox.add(id);
    return () => void idsWithBox.delete(id);
  }, []);
  // Runs after the microtask in which the view follows a moved message (`follow.ts`) and shows the box again.
  useLayoutEffect(() => () => queueMicrotask(() => putTextIntoComposeBoxIfMessageLeft(message, window)), [message]);
  const ready = edit !== undefined;
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, [ready]);
  if (!ready) return <Spinner small />;
  const { user, original, text } = edit;
  const change = (value: string) => {
    const changed = { user, original, text: value, message };
    editByMessageId.set(id, changed);
    setEdit(changed);
  };
  /** @returns true if there are files */
  const uploadFiles = (files: readonly File[]): boolean => {
    for (const file of files) {
      void awaitOrToastError(
        core.api.uploadFile('/user_uploads', file, () => {}),
        ({ uri }) => {
          const link = formatFileLink(file.name, uri);
          const area = field.current;
          const newest = findOwnEdit(id);
          if (area)
            area.setRangeText(
              makeOwnLine(link, area.value.slice(0, area.selectionStart)),
              area.selectionStart,
              area.selectionEnd,
              'end',
            );
          if (area) change(area.value);
          else if (newest) editByMessageId.set(id, { ...newest, text: newest.text + makeOwnLine(link, newest.text) });
        },
      );
    }
    return files.length > 0;
  };
  const limit = core.state.realm.value.max_message_length;
  const save = async () => {
    if (busy) return;
    if (text === original) return discardEditAndCloseBox(id);
    const problem = findTooLongText(text, limit);
    if (problem) return setFailure(problem);
    setBusy(true);
    try {
      if (await confirmIfChangedElsewhere(message, original)) {
        await core.api.patch('/messages/{message_id}', { message_id: id, content: text });
        return discardEditAndCloseBox(id);
      }
    } catch (error) {
      setFailure(formatFailureText(error));
    }
    setBusy(false);
  };
  return (
    <form
      class="edit-box"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        class="edit-text"
        aria-label={t('message.edit-label')}
        value={text}
        dir="auto"
        {...completion.attributes}
        onInput={(event) => {
          change(event.currentTarget.value);
          completion.look(event.currentTarget);
        }}
        onPaste={(event) => {
          if (uploadFiles(listTransferredFiles(event.clipboardData))) event.preventDefault();
        }}
        onDrop={(event) => {
          if (!uploadFiles(listTransferredFiles(event.dataTransfer))) return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onKeyDown={(event) => {
          if (event.isComposing || completion.takeKey(event)) return;
          if (event.key === 'Escape') discardEditWithUndo(id);
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || (enterSends() && !event.shiftKey)))
            void save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {completion.list}
      {failure && (
        <p class="field-error" role="alert">
          {failure}
        </p>
      )}
      <div class="edit-buttons">
        <Button kind="primary" type="submit" busy={busy}>
          {t('common.save')}
        </Button>
        <Button kind="quiet" onClick={() => discardEditWithUndo(id)}>
          {t('common.cancel')}
        </Button>
        <CharCounter text={text} limit={limit} />
      </div>
    </form>
  );
}

/** Shows the Markdown of a message that the reader may not edit. */
export async function openMessageSource(message: Message): Promise<void> {
  await awaitOrToastError(fetchMessageMarkdown(message), (text) =>
    openLayer((done) => (
      <Dialog title={t('message.source')} onClose={done}>
        <pre class="message-source">{text}</pre>
      </Dialog>
    )),
  );
}
