/** What a user has not read of one sender. */
import { DIRECT_HOME, MOST_UNREAD, OwnFlags, type OwnMessage, type StoredMessage, UnreadScan } from '#domain/messages';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../services.js';
import { subscriptionsOf, type UserState } from '../state.js';

/** As many as a registration tells of, about; from the oldest on. */
export async function unreadFrom(
  sender: number,
  { realm, caller, view }: InputContext<UserState, undefined>,
  { store }: InputSources,
): Promise<OwnMessage[]> {
  const flags = new OwnFlags(caller, view.parts);
  const scan = new UnreadScan(store, realm, caller);
  const homes = [DIRECT_HOME, ...subscriptionsOf(view.parts).flatMap((own) => (own.active ? [own.stream] : []))];
  const readings = homes.map((home) => flags.reading(home));
  const found: StoredMessage[] = [];
  for (const reading of readings) {
    found.push(...(await scan.excepted(reading)).filter((message) => message.sender === sender));
  }
  const floor = Math.min(...readings.map(({ mark }) => mark));
  for await (const batch of scan.upwards({ by: 'sender', sender }, floor)) {
    found.push(...batch.filter((message) => !flags.isRead({ message, copy: true, gained: false })));
    if (found.length >= MOST_UNREAD) break;
  }
  const once = new Map(found.map((message) => [message.id, message]));
  return [...once.values()].map((message) => ({ message, copy: true, gained: false }));
}
