import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import { makeConversationNarrow } from '../core/index.js';
import {
  Button,
  isTypingTarget,
  makeLazyComponent,
  runWithLazyChunk,
  useShortcut,
  waitForFirstView,
} from '../kit/index.js';
import { t } from '../text/index.js';
import { type Composer, getComposerForCurrentUser as theComposer } from './composer.js';
import { serveEmojiPickerRequests } from './emoji/open.js';

export interface ComposeBoxProps {
  /** Renders the HTML of a message; without it there is no preview. */
  readonly content?: ComponentType<{ readonly html: string }>;
}

/** Views that show the buttons for a new message. In other views there are keys only. */
const VIEWS_WITH_CLOSED_BOX: ReadonlySet<string> = new Set(['narrow', 'inbox', 'recent']);

const importOpenBox = () => import('./open-box.js');
const LazyOpenBox = makeLazyComponent(async () => (await importOpenBox()).OpenBox);

const isFileDrag = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Takes files that are dropped anywhere on the page. @returns whether files are dragged over it */
function useFileDrop(composer: Composer): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!isFileDrag(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      // A dialog may take the files itself.
      if (!isFileDrag(event) || event.defaultPrevented) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      void runWithLazyChunk(importOpenBox, ({ uploadFiles }) => uploadFiles(composer, files));
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [composer]);
  return isOver;
}

/** The closed box: two buttons. */
function ClosedComposeBox({ composer }: { readonly composer: Composer }) {
  return (
    <div class="compose-closed">
      <Button icon="plus" onClick={() => composer.beginMessage('stream')}>
        {t('compose.new-stream')}
      </Button>
      <Button icon="direct" onClick={() => composer.beginMessage('direct')}>
        {t('compose.new-direct')}
      </Button>
    </div>
  );
}

/** The place below the view where messages are written. */
export function ComposeBox({ content }: ComposeBoxProps) {
  const composer = theComposer();
  const root = useRef<HTMLElement>(null);
  useEffect(() => composer.followViewRequestsAndDrafts(), [composer]);
  useEffect(() => serveEmojiPickerRequests(), []);
  useEffect(
    () =>
      void waitForFirstView()
        .then(LazyOpenBox.preload)
        .catch(() => {}),
    [],
  );
  const isOver = useFileDrop(composer);
  useShortcut('stream', () => composer.beginMessage('stream'));
  useShortcut('direct', () => composer.beginMessage('direct'));
  // While a message is selected, the list of messages takes these keys.
  useShortcut('reply', () => {
    if (!composer.viewedConversation.peek()) return false;
    composer.openAndFocus();
    return true;
  });
  useShortcut('narrow-compose', () => {
    const to = composer.targetConversation.peek();
    if (!composer.isOpen.peek() || !to) return false;
    core.router.navigate({ view: 'narrow', narrow: makeConversationNarrow(to) });
    return true;
  });
  useShortcut('back', () => {
    const focused = document.activeElement;
    if (!root.current?.contains(focused)) return false;
    if (composer.isTargetChosen.peek() || !composer.viewedConversation.peek()) composer.resetToViewedConversation();
    if (isTypingTarget(document.activeElement) && focused instanceof HTMLElement) focused.blur();
    return true;
  });
  if (core.session.state.value === 'visitor') return null;
  const open = composer.isOpen.value;
  if (!open && !VIEWS_WITH_CLOSED_BOX.has(core.router.route.value.view)) return null;
  return (
    <section class="compose" aria-label={t('compose.label')} ref={root}>
      {open ? (
        <div class="compose-box">
          <LazyOpenBox key={composer.userId} composer={composer} {...(content ? { content } : {})} />
          {isOver && <p class="compose-drop">{t('compose.drop')}</p>}
        </div>
      ) : (
        <ClosedComposeBox composer={composer} />
      )}
    </section>
  );
}
