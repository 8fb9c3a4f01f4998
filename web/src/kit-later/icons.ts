import type { IconPath } from '../kit/index.js';

/** Paths of the icons that the first view does without, for the property `icon` or `name` in place of a name. */
export const LATER_ICONS = {
  attach: 'M16 9.5l-6 6a3.7 3.7 0 0 1-5.2-5.2l6.5-6.5a2.5 2.5 0 0 1 3.5 3.5l-6.5 6.5a1.2 1.2 0 0 1-1.7-1.7l5.6-5.6',
  link: 'M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-1 1M11.5 8.5a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1-1',
  eye: 'M2.5 10c3.5-6 11.5-6 15 0-3.5 6-11.5 6-15 0zM10 7.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z',
  eyeOff: 'M5.5 6.3A9 9 0 0 0 2.5 10c2.7 4.6 8 5.7 12 3.3M8 5.7c3.6-.8 7.4.6 9.5 4.3-.4.7-.9 1.3-1.4 1.8M3 3l14 14',
  quote: 'M4 11.5h4.5v-5H4zm0 0c0 1.5.7 2.5 2.2 3M11.5 11.5H16v-5h-4.5zm0 0c0 1.5.7 2.5 2.2 3',
  image: 'M3 4h14v12H3zM3 13.5l4-4 3.5 3.5 2.5-2.5 4 4M13 7.3v.01',
  history: 'M4 5v3.5h3.5M4.3 8.5a6.3 6.3 0 1 1-.5 3M10 7v3.5l2.3 1.5',
  keyboard: 'M2.5 5.5h15v9h-15zM5.5 8.5v.01M8.5 8.5v.01M11.5 8.5v.01M14.5 8.5v.01M7 11.7h6',
  theme: 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14',
  bold: 'M6 4h4.5a3 3 0 0 1 0 6H6zM6 10h5.5a3 3 0 0 1 0 6H6z',
  italic: 'M8.5 4H14M6 16h5.5M11.5 4l-3 12',
  video: 'M3 5.5h9v9H3zM12 9l5-2.5v7L12 11z',
  copy: 'M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4',
  expand: 'M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4',
  pin: 'M7 3h6l-.7 5 2.7 3v1.5H5V11l2.7-3zM10 12.5V17',
  mute: 'M5.5 9v3L4 14h10M7 5.2a4.5 4.5 0 0 1 7.5 3.3V12M8.5 16.5h3M3 3l14 14',
  trash: 'M4 6h12M8 6V4h4v2M5.5 6l.7 10.5h7.6L14.5 6M8.5 9v5M11.5 9v5',
  signOut: 'M11 4H4v12h7M8.5 10H17M13.5 6.5L17 10l-3.5 3.5',
  arrowUp: 'M10 16V4M5 9l5-5 5 5',
  chevronLeft: 'M12.5 5l-5 5 5 5',
  poll: 'M4 16.5V9M10 16.5v-13M16 16.5V12',
  refresh: 'M16 5v3.5h-3.5M15.7 8.5a6.3 6.3 0 1 0 .5 3',
} as const satisfies Readonly<Record<string, IconPath>>;
