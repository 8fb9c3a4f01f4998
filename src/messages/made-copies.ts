/** Copies that users make for themselves, of messages that were none of theirs (messages.md § Flags). Pure. */
import type { Json } from '../core/index.js';
import { markedOf, markedPart, readingOf, readingPart } from './read-state.js';

/** A message of which a copy is made: its id, and where it was sent to. */
export interface Copied {
  readonly id: number;
  readonly home: number;
}

/** Parts of the user's actor that change: the copy is there, read and historical. A repeat changes nothing. */
export function madeCopy(parts: ReadonlyMap<string, Json>, { id, home }: Copied): Record<string, Json> {
  const historical = markedOf(parts, 'historical');
  if (historical.has(id)) return {};
  const { mark, read, unread } = readingOf(parts, home);
  return {
    ...markedPart('historical', historical.with([id])),
    ...readingPart(home, { mark, read: read.with([id]), unread: unread.without([id]) }),
  };
}
