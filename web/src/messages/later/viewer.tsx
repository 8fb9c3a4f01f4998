import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog, IconButton, openLayer } from '../../kit/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';

const MAX_ZOOM = 8;
const ZOOM_STEP_FACTOR = 1.5;

interface ViewerPicture {
  readonly src: string;
  readonly href: string;
  readonly name: string;
}

/** Pictures of the messages that are in the document, in their order. */
function findPicturesAround(link: HTMLAnchorElement): {
  readonly pictures: readonly ViewerPicture[];
  readonly at: number;
} {
  const root = link.closest('[data-messages], .dialog') ?? document.body;
  const links = [...root.querySelectorAll<HTMLAnchorElement>('a[data-image]')];
  const pictures = links.map((of) => {
    const image = of.querySelector('img');
    return { src: image?.dataset.srcFullsize || image?.src || of.href, href: of.href, name: image?.alt ?? '' };
  });
  return { pictures, at: Math.max(0, links.indexOf(link)) };
}

interface PictureViewerProps {
  readonly pictures: readonly ViewerPicture[];
  readonly firstIndex: number;
  readonly onClose: () => void;
}

/** One picture at a time: arrows go on, + and − zoom, 0 fits it to the screen, dragging moves it. */
function PictureViewer({ pictures, firstIndex, onClose }: PictureViewerProps) {
  const [at, setAt] = useState(firstIndex);
  const [zoom, setZoom] = useState(1);
  const stage = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number } | undefined>(undefined);
  const picture = pictures[at];
  const go = (by: number) => {
    setAt((now) => Math.max(0, Math.min(pictures.length - 1, now + by)));
    setZoom(1);
  };
  const zoomBy = (factor: number) => setZoom((now) => Math.max(1, Math.min(MAX_ZOOM, now * factor)));
  useLayoutEffect(() => stage.current?.focus(), []);
  if (!picture) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowLeft') go(-1);
    else if (event.key === 'ArrowRight') go(1);
    else if (event.key === '+' || event.key === '=') zoomBy(ZOOM_STEP_FACTOR);
    else if (event.key === '-') zoomBy(1 / ZOOM_STEP_FACTOR);
    else if (event.key === '0') setZoom(1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Dialog title={picture.name || t('messages.image')} size="large" withoutHeader class="viewer" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the dialog's buttons */}
      <div class="viewer-frame" onKeyDown={onKeyDown}>
        <div class="viewer-bar">
          <span class="viewer-name" dir="auto">
            {picture.name}
          </span>
          {pictures.length > 1 && (
            <span class="viewer-count">{t('message.viewer-count', { at: at + 1, n: pictures.length })}</span>
          )}
          <IconButton icon="plus" label={t('message.zoom-in')} onClick={() => zoomBy(ZOOM_STEP_FACTOR)} />
          <IconButton icon={LATER_ICONS.expand} label={t('message.zoom-fit')} onClick={() => setZoom(1)} />
          <a class="icon-button" href={picture.href} target="_blank" rel="noopener noreferrer">
            {t('message.viewer-open')}
          </a>
          <IconButton icon="close" label={t('common.close')} onClick={onClose} />
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the viewer do all that a pointer does */}
        <div
          ref={stage}
          class={`viewer-stage ${zoom > 1 ? 'zoomed' : ''}`}
          tabIndex={-1}
          onWheel={(event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
          }}
          onPointerDown={(event) => {
            drag.current = { x: event.clientX, y: event.clientY };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            const from = drag.current;
            if (!from) return;
            event.currentTarget.scrollBy(from.x - event.clientX, from.y - event.clientY);
            drag.current = { x: event.clientX, y: event.clientY };
          }}
          onPointerUp={() => {
            drag.current = undefined;
          }}
          onDblClick={() => setZoom((now) => (now > 1 ? 1 : ZOOM_STEP_FACTOR * ZOOM_STEP_FACTOR))}
        >
          <img
            key={picture.src}
            src={picture.src}
            alt={picture.name}
            style={{ '--zoom': String(zoom) }}
            draggable={false}
          />
        </div>
        {at > 0 && (
          <IconButton
            icon={LATER_ICONS.chevronLeft}
            label={t('message.viewer-before')}
            class="viewer-before"
            onClick={() => go(-1)}
          />
        )}
        {at < pictures.length - 1 && (
          <IconButton
            icon="chevron-right"
            label={t('message.viewer-after')}
            class="viewer-after"
            onClick={() => go(1)}
          />
        )}
      </div>
    </Dialog>
  );
}

export function openViewer(link: HTMLAnchorElement): void {
  const { pictures, at } = findPicturesAround(link);
  openLayer((done) => <PictureViewer pictures={pictures} firstIndex={at} onClose={done} />);
}
