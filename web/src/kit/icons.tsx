/**
 * Icons of the first view, as paths in a square of 20 units, drawn with a line of 1.6 in the colour of the text. Icons
 * of later chunks are paths in `LATER_ICONS` (kit-later/icons.ts).
 */
const ICON_PATHS = {
  inbox: 'M3 11h4l1.5 2.5h3L13 11h4M3 11l2.5-6.5h9L17 11v4.5H3z',
  recent: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 6v4l2.8 1.8',
  all: 'M3.5 5h13M3.5 10h13M3.5 15h8',
  at: 'M13 10a3 3 0 1 0-6 0 3 3 0 0 0 6 0zm0 0v1a2 2 0 0 0 4 0v-1a7 7 0 1 0-3 5.7',
  star: 'M10 2.8l2.2 4.6 5 .7-3.6 3.5.9 5-4.5-2.4-4.5 2.4.9-5L2.8 8.1l5-.7z',
  draft: 'M4 16l.8-3.3L13.5 4l2.5 2.5-8.7 8.7zM12 5.5L14.5 8',
  scheduled: 'M3.5 5h13v11.5h-13zM3.5 8.5h13M7 3v3M13 3v3M10 10.5v2.2l1.5 1',
  hash: 'M4 7.5h12.5M3.5 12.5H16M8.5 3.5l-2 13M13.5 3.5l-2 13',
  lock: 'M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  globe: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM3 10h14M10 3c-5 5-5 9 0 14 5-5 5-9 0-14z',
  search: 'M8.5 3.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.2 12.2l4.3 4.3',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  people:
    'M7.5 4a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.5 16c.3-3 2-4.5 5-4.5s4.7 1.5 5 4.5M12.5 4.3a2.6 2.6 0 0 1 0 4.8M14.5 11.8c1.8.6 2.8 2 3 4.2',
  user: 'M10 3.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM4 16.5c.4-3 2.5-4.5 6-4.5s5.6 1.5 6 4.5',
  settings:
    'M10 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M4.7 15.3l1.4-1.4M13.9 6.1l1.4-1.4',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4 10.5l4 4 8-9',
  resolved: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM7 10.2l2.2 2.2L13.2 8',
  'chevron-down': 'M5 7.5l5 5 5-5',
  'chevron-right': 'M7.5 5l5 5-5 5',
  'arrow-down': 'M10 4v12M5 11l5 5 5-5',
  more: 'M4.5 9.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM10 9.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM15.5 9.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z',
  'more-vertical':
    'M10 3.7a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM10 9.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM10 14.7a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z',
  plus: 'M10 4v12M4 10h12',
  smile: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM7 11.5c1.3 2.3 4.7 2.3 6 0M7.8 8v.01M12.2 8v.01',
  reply: 'M8 5L3.5 9.5 8 14M3.5 9.5h8c3 0 5 2 5 5.5',
  edit: 'M4 16l.8-3.3L13.5 4l2.5 2.5-8.7 8.7z',
  send: 'M3 10L16.5 4l-4 12.5L9 11.5zM9 11.5L16.5 4',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  move: 'M3.5 10h12M11 5.5l4.5 4.5-4.5 4.5',
  info: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 9.5v4M10 6.7v.01',
  warning: 'M10 3.5L17.5 16h-15zM10 8.5V12M10 14v.01',
  'sign-in': 'M9 4h7v12H9M3 10h8.5M8 6.5l3.5 3.5L8 13.5',
  help: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM8 8.2c.2-2.8 4.2-2.5 4 0-.1 1.3-2 1.6-2 3.1M10 13.7v.01',
  bell: 'M4 14h12l-1.5-2V8.5a4.5 4.5 0 0 0-9 0V12zM8.5 16.5h3',
  bot: 'M4 7.5h12v8.5H4zM10 7.5V4M7.5 11v.5M12.5 11v.5M2.5 10.5v3M17.5 10.5v3',
  list: 'M8 5h8.5M8 10h8.5M8 15h8.5M4 5v.01M4 10v.01M4 15v.01',
  direct: 'M3.5 4h13v9.5h-7L6 16.5v-3H3.5z',
  filter: 'M3 5h14M5.5 10h9M8.5 15h3',
  offline: 'M6 15.5a3.5 3.5 0 0 1 .2-7M8.5 5.7c3-1 5.5 1 5.7 3.8a3 3 0 0 1 1.8 5M3 3l14 14M6 15.5h7.5',
} as const;

export type IconPath = `M${string}`;
/** A name, or the path itself. */
export type IconName = keyof typeof ICON_PATHS | IconPath;

const hasIconName = (name: IconName): name is keyof typeof ICON_PATHS => name in ICON_PATHS;

const ICON_BY_STREAM_PRIVACY = { private: 'lock', public: 'hash', 'web-public': 'globe' } as const;

/** Icon of a stream by who may read it; that of a public one for a stream that is not known. */
export const getStreamIconName = (privacy: keyof typeof ICON_BY_STREAM_PRIVACY = 'public'): IconName =>
  ICON_BY_STREAM_PRIVACY[privacy];

/** An icon beside a text, or in a button that has a name; hidden from screen readers. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={hasIconName(name) ? ICON_PATHS[name] : name} />
    </svg>
  );
}
