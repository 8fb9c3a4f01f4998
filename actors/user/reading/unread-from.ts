/** What a user has not read of one sender. */
import {
  DIRECT_ORIGIN,
  MAX_UNREAD,
  type ReadableMessage,
  type StoredMessage,
  UnreadScan,
  UserFlags,
} from '#domain/messages';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../services.js';
import { subscriptionsOf, type UserState } from '../state.js';

/** As many as a registration tells of, about; from the oldest on. */
export async function unreadFrom(
  sender: number,
  { realm, caller, view }: InputContext<UserState, undefined>,
  { store }: InputSources,
): Promise<ReadableMessage[]> {
  const flags = new UserFlags(caller, view.parts);
  const scan = new UnreadScan(store, realm, caller);
  const homes = [DIRECT_ORIGIN, ...subscriptionsOf(view.parts).flatMap((own) => (own.active ? [own.stream] : []))];
  const readings = homes.map((home) => flags.reading(home));
  const found: StoredMessage[] = [];
  for (const reading of readings) {
    found.push(...(await scan.unreadExceptions(reading)).filter((message) => message.sender === sender));
  }
  const floor = Math.min(...readings.map(({ mark }) => mark));
  for await (const batch of scan.upwards({ by: 'sender', sender }, floor)) {
    found.push(...batch.filter((message) => !flags.isRead({ message, copy: true, gained: false })));
    if (found.length >= MAX_UNREAD) break;
  }
  const once = new Map(found.map((message) => [message.id, message]));
  return [...once.values()].map((message) => ({ message, copy: true, gained: false }));
}
