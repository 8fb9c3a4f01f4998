/** The organization that the recorded answers were given in. */
import { readFileSync } from 'node:fs';
import type { MarkdownContext } from '#domain/markdown';

const USERS: Readonly<Record<number, string>> = {
  26: "Cordelia, Lear's daughter",
  27: 'Desdemona',
  28: 'King Hamlet',
  29: 'Iago',
};
const STREAMS: Readonly<Record<string, number>> = { Verona: 7, 'core team': 8, Denmark: 9 };
const EMOJI: Readonly<Record<string, number>> = { green_tick: 2, golden_emoji: 3 };

const entry = (id: number): { id: number; name: string } | undefined => {
  const name = USERS[id];
  return name === undefined ? undefined : { id, name };
};

export const context: Partial<MarkdownContext> = {
  origin: 'http://localhost:9991',
  inlineImages: true,
  now: Date.UTC(2023, 4, 28, 12),
  productEmoji: { name: 'zulip', url: '/static/generated/emoji/images/emoji/unicode/zulip.png' },
  usersNamed: (name) =>
    Object.entries(USERS).flatMap(([id, known]) =>
      known.toLowerCase() === name.toLowerCase() ? [{ id: Number(id), name: known }] : [],
    ),
  userById: entry,
  groupByName: (name) => (name === 'hamletcharacters' ? { id: 33, name } : undefined),
  streamByName: (name) => {
    const id = Object.hasOwn(STREAMS, name) ? STREAMS[name] : undefined;
    return id === undefined ? undefined : { id, name };
  },
  customEmoji: (name) => {
    const id = Object.hasOwn(EMOJI, name) ? EMOJI[name] : undefined;
    return id === undefined ? undefined : { name, url: `/user_avatars/4/emoji/images/${id}.png` };
  },
};

export interface Recorded {
  readonly content: string;
  readonly rendered: string;
}

export function recorded(): Recorded[] {
  return JSON.parse(readFileSync('test/fixtures/markdown/recorded.json', 'utf8')) as Recorded[];
}
