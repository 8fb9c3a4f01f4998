/** One shortcut. Its text is `shortcut.ID` of the catalogue. */
export interface Shortcut {
  readonly keys: readonly string[];
  readonly group: Group;
  /** The shortcut works while text is being typed, too. */
  readonly fields?: true;
  /** Shortcuts with the same word may have the same keys: they are for different moments. */
  readonly shares?: string;
}

/** Groups of the `?` dialog, in its order. */
export const GROUPS = ['general', 'go', 'list', 'message', 'compose'] as const;

type Group = (typeof GROUPS)[number];

const general = (...keys: string[]): Shortcut => ({ keys, group: 'general' });
const go = (...keys: string[]): Shortcut => ({ keys, group: 'go' });
const list = (...keys: string[]): Shortcut => ({ keys, group: 'list' });
const message = (...keys: string[]): Shortcut => ({ keys, group: 'message' });
const compose = (...keys: string[]): Shortcut => ({ keys, group: 'compose' });

/** The default keys are those that people of the peer know. */
export const SHORTCUTS = {
  help: general('?'),
  search: general('/'),
  switch: { ...general('Mod+k'), fields: true },
  back: { ...general('Escape', 'Mod+['), fields: true },
  'filter-streams': general('q'),
  'filter-people': general('w'),
  menu: general('g'),

  inbox: go('I'),
  recent: go('t'),
  all: go('a'),
  mentions: go('#'),
  starred: go('*'),
  drafts: go('d'),
  directs: go('P'),
  'next-topic': go('n'),
  'next-direct': go('p'),
  'narrow-topic': go('s'),
  'narrow-stream': go('S'),
  'view-context': go('z'),
  'history-back': { ...go('Alt+ArrowLeft'), fields: true },
  'history-forward': { ...go('Alt+ArrowRight'), fields: true },

  'message-down': list('j', 'ArrowDown'),
  'message-up': list('k', 'ArrowUp'),
  'page-down': list('J', 'PageDown', 'Space'),
  'page-up': list('K', 'PageUp', 'Shift+Space'),
  first: list('Home'),
  last: list('G', 'End'),

  reply: { ...message('r', 'Enter'), shares: 'selected' },
  'reply-sender': message('R'),
  'reply-mention': message('@'),
  quote: message('>'),
  forward: message('<'),
  react: message(':'),
  'thumbs-up': message('+'),
  'react-same': message('='),
  star: { ...message('Mod+s'), fields: true },
  edit: message('e'),
  'edit-last': message('ArrowLeft'),
  move: message('m'),
  history: message('H'),
  unread: message('U'),
  collapse: message('-'),
  'message-menu': message('i'),
  profile: message('u'),
  image: message('v'),
  'mute-topic': message('M'),

  stream: compose('c'),
  direct: compose('x'),
  send: { ...compose('Mod+Enter'), fields: true },
  'narrow-compose': { ...compose('Mod+.'), fields: true },
  bold: { ...compose('Mod+b'), fields: true },
  italic: { ...compose('Mod+i'), fields: true },
  link: { ...compose('Mod+L'), fields: true },
} as const satisfies Record<string, Shortcut>;

export type ShortcutId = keyof typeof SHORTCUTS;
