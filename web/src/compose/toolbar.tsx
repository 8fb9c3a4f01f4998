import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { Button, Icon, IconButton, isPhone, MenuButton, type MenuItem, toast, useShortcut } from '../kit/index.js';
import { addLaterTexts, t } from '../text/index.js';
import { selectedIn } from './area.js';
import type { Composer } from './composer.js';
import { enterSends } from './editor.js';
import { type Edit, fence, link, prefixLines, type Selected, wrap } from './edits.js';
import { openEmojiPicker } from './emoji/open.js';
import { checkText, sendText } from './send.js';
import { uploadFiles, uploads } from './uploads.js';

/** The counter appears when this share of the limit is written. */
const NEAR = 0.9;

type Change = (of: Selected) => Edit;

const bold: Change = (of) => wrap(of, '**');
const italic: Change = (of) => wrap(of, '*');
const linkTo: Change = (of) => link(of, t('compose.link-text'));
const code: Change = (of) => (of.text.slice(of.start, of.end).includes('\n') ? fence(of, '') : wrap(of, '`'));

function apply(composer: Composer, change: Change): boolean {
  const { area } = composer;
  if (!area) return false;
  composer.edit(change(selectedIn(area)));
  return true;
}

const startOf = (composer: Composer, command: string): void => {
  if (composer.text.peek() === '') composer.insert(command);
  else composer.error.value = t('compose.command-first');
};

function menuOf(composer: Composer, withMarks: boolean): readonly MenuItem[] {
  const item = (
    label: string,
    icon: 'bold' | 'italic' | 'link' | 'code' | 'list' | 'quote' | 'eye-off',
    change: Change,
  ) => ({
    label,
    icon,
    run: () => void apply(composer, change),
  });
  return [
    withMarks && item(t('compose.bold'), 'bold', bold),
    withMarks && item(t('compose.italic'), 'italic', italic),
    withMarks && item(t('compose.link'), 'link', linkTo),
    item(t('compose.code'), 'code', code),
    item(t('compose.list'), 'list', (of) => prefixLines(of, () => '- ')),
    item(t('compose.quote'), 'quote', (of) => fence(of, 'quote')),
    item(t('compose.spoiler'), 'eye-off', (of) => fence(of, 'spoiler ')),
    'line',
    { label: t('compose.poll'), icon: 'poll', run: () => startOf(composer, `/poll ${t('compose.poll-question')}\n`) },
    { label: t('compose.todo'), icon: 'check', run: () => startOf(composer, '/todo') },
  ];
}

/** Opens the dialog of scheduled sending, a chunk of its own. */
async function schedule(composer: Composer): Promise<void> {
  if (!(await checkText(composer))) return;
  try {
    const [{ openSchedule }] = await Promise.all([import('./schedule/dialog.js'), addLaterTexts()]);
    openSchedule(composer);
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}

/** Characters that are left, near the limit. */
function Counter({ composer }: { readonly composer: Composer }) {
  const limit = core.state.realm.value.max_message_length ?? 0;
  const { length } = composer.text.value;
  if (limit === 0 || length < limit * NEAR) return null;
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
export function Toolbar({ composer, canPreview }: ToolbarProps) {
  const files = useRef<HTMLInputElement>(null);
  const phone = isPhone();
  const previewing = composer.previewing.value;
  const inText = () => document.activeElement === composer.area;
  useShortcut('bold', () => inText() && apply(composer, bold));
  useShortcut('italic', () => inText() && apply(composer, italic));
  useShortcut('link', () => inText() && apply(composer, linkTo));
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
          <IconButton icon="bold" label={t('compose.bold')} shortcut="bold" onClick={() => apply(composer, bold)} />
          <IconButton
            icon="italic"
            label={t('compose.italic')}
            shortcut="italic"
            onClick={() => apply(composer, italic)}
          />
          <IconButton icon="link" label={t('compose.link')} shortcut="link" onClick={() => apply(composer, linkTo)} />
        </>
      )}
      <MenuButton label={t('compose.more')} icon="plus" side="above" items={() => menuOf(composer, phone)} />
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
        onClick={() => void schedule(composer)}
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
