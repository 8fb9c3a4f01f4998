/** One shortcut. Its text is `shortcut.ID` of the catalogue. */
export interface Shortcut {
  readonly keys: readonly string[];
  readonly group: ShortcutGroup;
  /** The shortcut works while text is being typed, too. */
  readonly worksInFields?: true;
  /** Shortcuts with equal tags may have the same keys: they are never active at the same time. */
  readonly sharedKeysTag?: string;
}

/** Groups of the `?` dialog, in its order. */
export const SHORTCUT_GROUPS = ['general', 'go', 'list', 'message', 'compose'] as const;

type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

const makeGeneralShortcut = (...keys: string[]): Shortcut => ({ keys, group: 'general' });
const makeGoShortcut = (...keys: string[]): Shortcut => ({ keys, group: 'go' });
const makeListShortcut = (...keys: string[]): Shortcut => ({ keys, group: 'list' });
const makeMessageShortcut = (...keys: string[]): Shortcut => ({ keys, group: 'message' });
const makeComposeShortcut = (...keys: string[]): Shortcut => ({ keys, group: 'compose' });

/** The default keys are those that people of the peer know. */
export const SHORTCUTS = {
  help: makeGeneralShortcut('?'),
  search: makeGeneralShortcut('/'),
  switch: { ...makeGeneralShortcut('Mod+k'), worksInFields: true },
  back: { ...makeGeneralShortcut('Escape', 'Mod+[', 'Ctrl+['), worksInFields: true },
  'filter-streams': makeGeneralShortcut('q'),
  'filter-people': makeGeneralShortcut('w'),
  menu: makeGeneralShortcut('g'),

  inbox: makeGoShortcut('I'),
  recent: makeGoShortcut('t'),
  all: makeGoShortcut('a'),
  mentions: makeGoShortcut('#'),
  starred: makeGoShortcut('*'),
  drafts: makeGoShortcut('d'),
  directs: makeGoShortcut('P'),
  'next-topic': makeGoShortcut('n'),
  'next-direct': makeGoShortcut('p'),
  'previous-stream': makeGoShortcut('A'),
  'next-stream': makeGoShortcut('D'),
  'narrow-topic': makeGoShortcut('s'),
  'narrow-stream': makeGoShortcut('S'),
  'view-context': makeGoShortcut('z'),
  'history-back': { ...makeGoShortcut('Alt+ArrowLeft'), worksInFields: true },
  'history-forward': { ...makeGoShortcut('Alt+ArrowRight'), worksInFields: true },

  'message-down': makeListShortcut('j', 'ArrowDown'),
  'message-up': makeListShortcut('k', 'ArrowUp'),
  'page-down': makeListShortcut('J', 'PageDown', 'Space'),
  'page-up': makeListShortcut('K', 'PageUp', 'Shift+Space'),
  first: makeListShortcut('Home'),
  last: makeListShortcut('G', 'End'),

  reply: { ...makeMessageShortcut('r', 'Enter'), sharedKeysTag: 'selected' },
  'reply-sender': makeMessageShortcut('R'),
  'reply-mention': makeMessageShortcut('@'),
  quote: makeMessageShortcut('>'),
  forward: makeMessageShortcut('<'),
  react: makeMessageShortcut(':'),
  'thumbs-up': makeMessageShortcut('+'),
  'react-same': makeMessageShortcut('='),
  star: { ...makeMessageShortcut('Mod+s'), worksInFields: true },
  edit: makeMessageShortcut('e'),
  'edit-last': makeMessageShortcut('ArrowLeft'),
  move: makeMessageShortcut('m'),
  history: makeMessageShortcut('H'),
  receipts: makeMessageShortcut('V'),
  unread: makeMessageShortcut('U'),
  collapse: makeMessageShortcut('-'),
  'message-menu': makeMessageShortcut('i'),
  profile: makeMessageShortcut('u'),
  image: makeMessageShortcut('v'),
  'mute-topic': makeMessageShortcut('M'),

  stream: makeComposeShortcut('c'),
  direct: makeComposeShortcut('x'),
  send: { ...makeComposeShortcut('Mod+Enter'), worksInFields: true },
  'narrow-compose': { ...makeComposeShortcut('Mod+.'), worksInFields: true },
  preview: { ...makeComposeShortcut('Alt+p'), worksInFields: true },
  bold: { ...makeComposeShortcut('Mod+b'), worksInFields: true },
  italic: { ...makeComposeShortcut('Mod+i'), worksInFields: true },
  link: { ...makeComposeShortcut('Mod+L'), worksInFields: true },
} as const satisfies Record<string, Shortcut>;

export type ShortcutId = keyof typeof SHORTCUTS;
