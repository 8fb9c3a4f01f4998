/** What a user has unread from one sender, newest first. */
import { asStored, type HomeReading, NEWEST, type OwnMessage } from '../../../src/messages/index.js';
import type { NeedsContext, Suppliers } from '../../../src/runtime/index.js';
import { rightsOf } from '../commands/on-message.js';
import type { UserState } from '../state.js';

const FIRST_BATCH = 64;
const LARGEST_BATCH = 1_000;
/** As many unread messages as a registration counts; older ones stay as they are. */
const MOST = 50_000;
/** Past this, what was found counts. */
const DEADLINE_MS = 20_000;

/** Can the reading of its home leave this message unread? Most of the past can't be, which saves looking further. */
const maybeUnread = ({ mark, read, unread }: HomeReading, id: number): boolean =>
  unread.has(id) || (id > mark && !read.has(id));

export async function unreadOfSender(
  sender: number,
  context: NeedsContext<UserState, undefined>,
  suppliers: Suppliers,
): Promise<readonly OwnMessage[]> {
  const { reader, flags } = await rightsOf(context, suppliers);
  const { clock } = suppliers.services;
  const until = clock.now() + DEADLINE_MS;
  const found: OwnMessage[] = [];
  let from: number = NEWEST;
  let limit = FIRST_BATCH;
  while (found.length < MOST && clock.now() < until) {
    const scan = { realm: context.realm, index: { by: 'sender', sender }, from, direction: 'older', limit } as const;
    const records = await suppliers.store.scanMessages(scan);
    for (const message of records.map(asStored)) {
      if (!maybeUnread(flags.reading(message.home), message.id)) continue;
      const own = await reader.access(message);
      if (own?.copy && !flags.isRead(own)) found.push(own);
    }
    if (records.length < limit) break;
    from = records.at(-1)!.id;
    limit = Math.min(limit * 2, LARGEST_BATCH);
  }
  return found;
}
