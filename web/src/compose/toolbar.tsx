import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import {
  enterSends,
  makeBoldToggleEdit,
  makeFenceLinesEdit,
  makeItalicToggleEdit,
  makeLinkEdit,
  makeMarkupToggleEdit,
  makePrefixLinesEdit,
  readTextSelection,
  type TextEdit,
  type TextSelection,
} from '../editing/index.js';
import { Button, Icon, IconButton, type IconName, type MenuItem, runWithLazyChunk, useShortcut } from '../kit/index.js';
import { CharCounter, LATER_ICONS, MenuButton } from '../kit-later/index.js';
import { t } from '../text/index.js';
import type { Composer } from './composer.js';
import { toggleEmojiPicker } from './emoji/open.js';
import { sendComposedMessage, validateAndConfirmSending } from './send.js';
import { listUploadsInBox, uploadFiles } from './uploads.js';
import { areVideoCallsOffered, makeVideoCallLink } from './video-call.js';

type SelectionEditMaker = (of: TextSelection) => TextEdit;

const makeSelectionLinkEdit: SelectionEditMaker = (of) => makeLinkEdit(of, t('compose.link-text'));
const makeCodeFormatEdit: SelectionEditMaker = (of) =>
  of.text.slice(of.start, of.end).includes('\n') ? makeFenceLinesEdit(of, '') : makeMarkupToggleEdit(of, '`');

function applyEditToSelection(composer: Composer, change: SelectionEditMaker): boolean {
  const { textArea } = composer;
  if (!textArea) return false;
  composer.applyUndoableEdit(change(readTextSelection(textArea)));
  return true;
}

const insertCommandIfTextEmpty = (composer: Composer, command: string): void => {
  if (composer.text.peek() === '') composer.insertAtCaret(command);
  else composer.error.value = t('compose.command-first');
};

function insertVideoCallLink(composer: Composer): void {
  const before = composer.text.peek().slice(0, composer.textArea?.selectionStart);
  composer.insertAtCaret(`${/\S$/.test(before) ? ' ' : ''}${makeVideoCallLink()} `);
  composer.focusNowOrWhenMounted();
}

/** @param isShort true if the menu also has the actions that are buttons in a wider box */
function makeFormattingMenuItems(composer: Composer, isShort: boolean): readonly MenuItem[] {
  const item = (label: string, icon: IconName, change: SelectionEditMaker) => ({
    label,
    icon,
    run: () => void applyEditToSelection(composer, change),
  });
  return [
    isShort && item(t('compose.bold'), LATER_ICONS.bold, makeBoldToggleEdit),
    isShort && item(t('compose.italic'), LATER_ICONS.italic, makeItalicToggleEdit),
    isShort && item(t('compose.link'), LATER_ICONS.link, makeSelectionLinkEdit),
    item(t('compose.code'), 'code', makeCodeFormatEdit),
    item(t('compose.list'), 'list', (of) => makePrefixLinesEdit(of, () => '- ')),
    item(t('compose.quote'), LATER_ICONS.quote, (of) => makeFenceLinesEdit(of, 'quote')),
    item(t('compose.spoiler'), LATER_ICONS.eyeOff, (of) => makeFenceLinesEdit(of, 'spoiler ')),
    'line',
    {
      label: t('compose.poll'),
      icon: LATER_ICONS.poll,
      run: () => insertCommandIfTextEmpty(composer, `/poll ${t('compose.poll-question')}\n`),
    },
    { label: t('compose.todo'), icon: 'check', run: () => insertCommandIfTextEmpty(composer, '/todo') },
    isShort &&
      areVideoCallsOffered() && {
        label: t('compose.video-call'),
        icon: LATER_ICONS.video,
        run: () => insertVideoCallLink(composer),
      },
  ];
}

/** Opens the dialog of scheduled sending, a chunk of its own. */
async function checkAndOpenScheduleDialog(composer: Composer): Promise<void> {
  if ((await validateAndConfirmSending(composer)) !== 'sendable') return;
  await runWithLazyChunk(
    () => import('./schedule/dialog.js'),
    ({ openSchedule }) => openSchedule(composer),
  );
}

/** A separate component, so that a keystroke does not render the buttons again. */
const ComposeCounter = ({ composer }: { readonly composer: Composer }) => (
  <CharCounter text={composer.text.value} limit={core.state.realm.value.max_message_length} />
);

interface ComposeToolbarProps {
  readonly composer: Composer;
  readonly canPreview: boolean;
  readonly maySend: boolean;
}

/** Buttons below the text. */
export function ComposeToolbar({ composer, canPreview, maySend }: ComposeToolbarProps) {
  const files = useRef<HTMLInputElement>(null);
  const gap = useRef<HTMLSpanElement>(null);
  const previewing = composer.isPreviewing.value;
  const inText = () => document.activeElement === composer.textArea;
  useShortcut('bold', () => inText() && applyEditToSelection(composer, makeBoldToggleEdit));
  useShortcut('italic', () => inText() && applyEditToSelection(composer, makeItalicToggleEdit));
  useShortcut('link', () => inText() && applyEditToSelection(composer, makeSelectionLinkEdit));
  useShortcut('send', () => {
    void sendComposedMessage(composer);
  });
  // A press on a button keeps the focus and the selection in the text.
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const keep = (event: PointerEvent) => {
      if (document.activeElement === composer.textArea) event.preventDefault();
    };
    const element = bar.current;
    element?.addEventListener('pointerdown', keep);
    return () => element?.removeEventListener('pointerdown', keep);
  }, []);
  // Computed, so that a keystroke renders the buttons only if the text becomes empty or stops being so.
  const isEmpty = useComputed(() => composer.text.value.trim() === '').value;
  const togglePreview = () => {
    if (!canPreview || isEmpty) return false;
    composer.isPreviewing.value = !previewing;
    if (previewing) queueMicrotask(() => composer.focusNowOrWhenMounted());
    return true;
  };
  useShortcut('preview', togglePreview);
  return (
    <div class="compose-tools" ref={bar}>
      <IconButton icon={LATER_ICONS.attach} label={t('compose.attach')} onClick={() => files.current?.click()} />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('compose.attach')}
        onChange={(event) => {
          uploadFiles(composer, [...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <IconButton
        icon="smile"
        label={t('compose.emoji')}
        popup="dialog"
        onClick={async (event) => {
          const emoji = await toggleEmojiPicker(event.currentTarget);
          if (emoji) composer.insertAtCaret(`:${emoji.name}: `);
          composer.focusNowOrWhenMounted();
        }}
      />
      <span class="compose-wide">
        {areVideoCallsOffered() && (
          <IconButton
            icon={LATER_ICONS.video}
            label={t('compose.video-call')}
            onClick={() => insertVideoCallLink(composer)}
          />
        )}
        <span class="compose-gap" ref={gap} />
        <IconButton
          icon={LATER_ICONS.bold}
          label={t('compose.bold')}
          shortcut="bold"
          onClick={() => applyEditToSelection(composer, makeBoldToggleEdit)}
        />
        <IconButton
          icon={LATER_ICONS.italic}
          label={t('compose.italic')}
          shortcut="italic"
          onClick={() => applyEditToSelection(composer, makeItalicToggleEdit)}
        />
        <IconButton
          icon={LATER_ICONS.link}
          label={t('compose.link')}
          shortcut="link"
          onClick={() => applyEditToSelection(composer, makeSelectionLinkEdit)}
        />
      </span>
      <MenuButton
        label={t('compose.more')}
        icon="plus"
        side="above"
        items={() => makeFormattingMenuItems(composer, gap.current?.offsetParent === null)}
      />
      {canPreview && (
        <IconButton
          icon={LATER_ICONS.eye}
          label={t(previewing ? 'compose.preview-end' : 'compose.preview')}
          shortcut="preview"
          pressed={previewing}
          disabled={isEmpty}
          onClick={togglePreview}
        />
      )}
      <span class="compose-rest" />
      <ComposeCounter composer={composer} />
      <IconButton
        icon="scheduled"
        label={t('compose.schedule')}
        popup="dialog"
        disabled={isEmpty || !maySend}
        onClick={() => void checkAndOpenScheduleDialog(composer)}
      />
      <span class="compose-send" data-tip={t('compose.send')} data-shortcut={enterSends() ? undefined : 'send'}>
        <Button
          kind="primary"
          disabled={!maySend || (isEmpty && listUploadsInBox(composer).length === 0)}
          onClick={() => void sendComposedMessage(composer)}
        >
          <Icon name="send" />
          <span>{t('compose.send')}</span>
        </Button>
      </span>
    </div>
  );
}
