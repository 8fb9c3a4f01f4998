import type { ComponentType } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import { conversationNarrow } from '../core/index.js';
import { Button, Icon, isField, useShortcut } from '../kit/index.js';
import { t } from '../text/index.js';
import { Address } from './address.js';
import { type Composer, composer as theComposer } from './composer.js';
import { Editor } from './editor.js';
import { serveEmojiRequests } from './emoji/open.js';
import { Notices } from './notices.js';
import { Preview } from './preview.js';
import { refusalOf } from './rules.js';
import { Toolbar } from './toolbar.js';
import { uploadFiles } from './uploads.js';

interface BoxProps {
  /** Shows the server's HTML of a message. */
  readonly content?: ComponentType<{ readonly html: string }>;
}

/** Views in which a new message is begun by a button; in others by a key only. */
const LISTS: ReadonlySet<string> = new Set(['narrow', 'inbox', 'recent']);

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Takes files that are dropped anywhere beside the box. @returns whether one is over the page */
function useDrop(composer: Composer): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      // A dialog of its own takes what is dropped there.
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      uploadFiles(composer, [...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

/** The closed box: two buttons. */
function Closed({ composer }: { readonly composer: Composer }) {
  return (
    <div class="compose-closed">
      <Button icon="plus" onClick={() => composer.begin('stream')}>
        {t('compose.new-stream')}
      </Button>
      <Button icon="direct" onClick={() => composer.begin('direct')}>
        {t('compose.new-direct')}
      </Button>
    </div>
  );
}

function Open({ composer, content }: BoxProps & { readonly composer: Composer }) {
  const id = useId();
  const refusal = refusalOf(composer.conversation.value);
  const chosen = composer.chosen.value || composer.viewed.value === undefined;
  const isOver = useDrop(composer);
  return (
    <div class={`compose-box ${isOver ? 'dropping' : ''}`}>
      {chosen && <Address composer={composer} />}
      <Notices composer={composer} errorId={`${id}-error`} />
      {refusal ? (
        <p class="compose-refused" role="status">
          <Icon name="lock" size={16} />
          {t(refusal)}
        </p>
      ) : (
        <>
          {composer.previewing.value && content ? (
            <Preview composer={composer} content={content} />
          ) : (
            <Editor composer={composer} describedBy={`${id}-error`} />
          )}
          <Toolbar composer={composer} canPreview={content !== undefined} />
        </>
      )}
      {isOver && <p class="compose-drop">{t('compose.drop')}</p>}
    </div>
  );
}

/** The place below the view where messages are written. */
export function ComposeBox({ content }: BoxProps) {
  const composer = theComposer();
  const root = useRef<HTMLElement>(null);
  useEffect(() => composer.start(), []);
  useEffect(() => serveEmojiRequests(), []);
  useShortcut('stream', () => composer.begin('stream'));
  useShortcut('direct', () => composer.begin('direct'));
  // The list of messages takes these keys while a message is selected.
  useShortcut('reply', () => {
    if (!composer.viewed.peek()) return false;
    composer.show();
    return true;
  });
  useShortcut('narrow-compose', () => {
    const to = composer.conversation.peek();
    if (!composer.open.peek() || !to) return false;
    core.router.go({ view: 'narrow', narrow: conversationNarrow(to) });
    return true;
  });
  useShortcut('back', () => {
    const focused = document.activeElement;
    if (!root.current?.contains(focused)) return false;
    if (composer.chosen.peek() || !composer.viewed.peek()) composer.close();
    if (isField(document.activeElement) && focused instanceof HTMLElement) focused.blur();
    return true;
  });
  if (core.session.state.value === 'visitor') return null;
  const open = composer.open.value;
  if (!open && !LISTS.has(core.router.route.value.view)) return null;
  return (
    <section class="compose" aria-label={t('compose.label')} ref={root}>
      {open ? <Open composer={composer} {...(content ? { content } : {})} /> : <Closed composer={composer} />}
    </section>
  );
}
