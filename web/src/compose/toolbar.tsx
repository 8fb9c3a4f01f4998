import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { Button, Icon, IconButton, isPhone, type MenuItem, toast, useShortcut } from '../kit/index.js';
import { MenuButton } from '../kit-later/index.js';
import { loadLaterTexts, t } from '../text/index.js';
import { readTextSelection } from './area.js';
import type { Composer } from './composer.js';
import { enterSends } from './editor.js';
import { fenceLines, makeLink, prefixLines, type TextEdit, type TextSelection, toggleMarkAround } from './edits.js';
import { openEmojiPicker } from './emoji/open.js';
import { checkBeforeSending, sendText } from './send.js';
import { uploadFiles, uploads } from './uploads.js';

/** The counter appears when this share of the limit is written. */
const COUNTER_THRESHOLD_SHARE = 0.9;

type SelectionEdit = (of: TextSelection) => TextEdit;

const toggleBold: SelectionEdit = (of) => toggleMarkAround(of, '**');
const toggleItalic: SelectionEdit = (of) => toggleMarkAround(of, '*');
const makeSelectionLink: SelectionEdit = (of) => makeLink(of, t('compose.link-text'));
const toggleCode: SelectionEdit = (of) =>
  of.text.slice(of.start, of.end).includes('\n') ? fenceLines(of, '') : toggleMarkAround(of, '`');

function applyToSelection(composer: Composer, change: SelectionEdit): boolean {
  const { area } = composer;
  if (!area) return false;
  composer.edit(change(readTextSelection(area)));
  return true;
}

const beginWithCommand = (composer: Composer, command: string): void => {
  if (composer.text.peek() === '') composer.insert(command);
  else composer.error.value = t('compose.command-first');
};

function makeFormattingMenu(composer: Composer, withMarks: boolean): readonly MenuItem[] {
  const item = (
    label: string,
    icon: 'bold' | 'italic' | 'link' | 'code' | 'list' | 'quote' | 'eye-off',
    change: SelectionEdit,
  ) => ({
    label,
    icon,
    run: () => void applyToSelection(composer, change),
  });
  return [
    withMarks && item(t('compose.bold'), 'bold', toggleBold),
    withMarks && item(t('compose.italic'), 'italic', toggleItalic),
    withMarks && item(t('compose.link'), 'link', makeSelectionLink),
    item(t('compose.code'), 'code', toggleCode),
    item(t('compose.list'), 'list', (of) => prefixLines(of, () => '- ')),
    item(t('compose.quote'), 'quote', (of) => fenceLines(of, 'quote')),
    item(t('compose.spoiler'), 'eye-off', (of) => fenceLines(of, 'spoiler ')),
    'line',
    {
      label: t('compose.poll'),
      icon: 'poll',
      run: () => beginWithCommand(composer, `/poll ${t('compose.poll-question')}\n`),
    },
    { label: t('compose.todo'), icon: 'check', run: () => beginWithCommand(composer, '/todo') },
  ];
}

/** Opens the dialog of scheduled sending, a chunk of its own. */
async function checkAndOpenSchedule(composer: Composer): Promise<void> {
  if (!(await checkBeforeSending(composer))) return;
  try {
    const [{ openSchedule }] = await Promise.all([import('./schedule/dialog.js'), loadLaterTexts()]);
    openSchedule(composer);
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}

/** Characters that are left, near the limit. */
function Counter({ composer }: { readonly composer: Composer }) {
  const limit = core.state.realm.value.max_message_length ?? 0;
  const { length } = composer.text.value;
  if (limit === 0 || length < limit * COUNTER_THRESHOLD_SHARE) return null;
  const left = limit - [...composer.text.value].length;
  return (
    <span class={`compose-counter ${left < 0 ? 'over' : ''}`} role="status">
      {left < 0 ? t('compose.over', { n: -left }) : t('compose.left', { n: left })}
    </span>
  );
}

interface ToolbarProps {
  readonly composer: Composer;
  readonly canPreview: boolean;
}

/** Buttons below the text. */
export function ComposeToolbar({ composer, canPreview }: ToolbarProps) {
  const files = useRef<HTMLInputElement>(null);
  const phone = isPhone();
  const previewing = composer.previewing.value;
  const inText = () => document.activeElement === composer.area;
  useShortcut('bold', () => inText() && applyToSelection(composer, toggleBold));
  useShortcut('italic', () => inText() && applyToSelection(composer, toggleItalic));
  useShortcut('link', () => inText() && applyToSelection(composer, makeSelectionLink));
  useShortcut('send', () => {
    void sendText(composer);
  });
  // The buttons keep the selection of the text.
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const keep = (event: PointerEvent) => {
      if (document.activeElement === composer.area) event.preventDefault();
    };
    const element = bar.current;
    element?.addEventListener('pointerdown', keep);
    return () => element?.removeEventListener('pointerdown', keep);
  }, []);
  const isEmpty = composer.text.value.trim() === '';
  return (
    <div class="compose-tools" ref={bar}>
      <IconButton icon="attach" label={t('compose.attach')} onClick={() => files.current?.click()} />
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
          const emoji = await openEmojiPicker(event.currentTarget);
          if (emoji) composer.insert(`:${emoji.name}: `);
          composer.focus();
        }}
      />
      {!phone && (
        <>
          <span class="compose-gap" />
          <IconButton
            icon="bold"
            label={t('compose.bold')}
            shortcut="bold"
            onClick={() => applyToSelection(composer, toggleBold)}
          />
          <IconButton
            icon="italic"
            label={t('compose.italic')}
            shortcut="italic"
            onClick={() => applyToSelection(composer, toggleItalic)}
          />
          <IconButton
            icon="link"
            label={t('compose.link')}
            shortcut="link"
            onClick={() => applyToSelection(composer, makeSelectionLink)}
          />
        </>
      )}
      <MenuButton
        label={t('compose.more')}
        icon="plus"
        side="above"
        items={() => makeFormattingMenu(composer, phone)}
      />
      {canPreview && (
        <IconButton
          icon="eye"
          label={t(previewing ? 'compose.preview-end' : 'compose.preview')}
          pressed={previewing}
          disabled={isEmpty}
          onClick={() => {
            composer.previewing.value = !previewing;
            if (previewing) queueMicrotask(() => composer.focus());
          }}
        />
      )}
      <span class="compose-rest" />
      <Counter composer={composer} />
      <IconButton
        icon="scheduled"
        label={t('compose.schedule')}
        popup="dialog"
        disabled={isEmpty}
        onClick={() => void checkAndOpenSchedule(composer)}
      />
      <span class="compose-send" data-tip={t('compose.send')} data-shortcut={enterSends() ? undefined : 'send'}>
        <Button kind="primary" disabled={isEmpty && uploads.value.length === 0} onClick={() => void sendText(composer)}>
          <Icon name="send" />
          <span class={phone ? 'hidden' : undefined}>{t('compose.send')}</span>
        </Button>
      </span>
    </div>
  );
}
