/** mark_all_as_read while messages are being stored (messages.md § Flags). */
import type { Test } from 'tap';
import type { MessageScan, Store } from '#ports/store';
import { until } from '../../../support/until.js';
import { startEmbedded } from '../../support/faces.js';
import { interceptMethods } from '../../support/intercept.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { flagEvents, flagQueue, setFlag, unreadOf } from '../../support/reading.js';

/** Holds reads of the realm's newest messages: a mark of all messages reads these before and after the new marks. */
class RealmReadGate {
  isOn = false;
  readonly #waiting: (() => void)[] = [];

  get waitingCount(): number {
    return this.#waiting.length;
  }

  letOnePass(): void {
    this.#waiting.shift()?.();
  }

  wrap(store: Store): Store {
    return interceptMethods(store, ['scanMessages'], async (call, [scan]) => {
      if (this.isOn && (scan as MessageScan).index.by === 'realm')
        await new Promise<void>((resolve) => void this.#waiting.push(resolve));
      return call();
    });
  }
}

export async function marksBesideMessages(t: Test): Promise<void> {
  const gate = new RealmReadGate();
  const server = await startEmbedded({
    adjust: (ports) => ({ ...ports, actors: { ...ports.actors!, store: gate.wrap(ports.actors!.store) } }),
  });
  t.teardown(() => server.close());
  const { owner, member } = await makeOrganization(server, ['member']);
  await subscribe(owner, 'plans', { principals: [owner, member] });
  await subscribe(owner, 'quiet', { principals: [owner, member] });
  await member.api.ok('POST /mark_all_as_read');
  await say(owner, 'plans', 'a', 'an older message');
  const queue = await flagQueue(member);

  gate.isOn = true;
  const marking = member.api.ok('POST /mark_all_as_read');
  await until('the mark reads the newest messages first', () => gate.waitingCount === 1);
  gate.letOnePass();
  await until('the new marks are known', () => gate.waitingCount === 1);
  const inStream = await say(owner, 'plans', 'a', `@**${member.name}** now`);
  const inQuietStream = await say(owner, 'quiet', 'b');
  const direct = await tell(owner, [member]);
  const read = await say(owner, 'plans', 'a', 'read at once');
  const beside = [inStream, inQuietStream, direct, read];
  await queue.until((events) => events.filter(({ type }) => type === 'message').length === beside.length);
  await setFlag(member, 'add', 'read', [read]);
  gate.isOn = false;
  gate.letOnePass();
  await marking;

  const events = await flagEvents(queue);
  t.match(events, [
    { op: 'add', messages: [read], all: false },
    { op: 'add', messages: [], all: true },
    { op: 'remove', flag: 'read', messages: [inStream, inQuietStream, direct], all: false },
  ]);
  const plans = await streamIdOf(owner, 'plans');
  t.match(
    events[2]?.message_details,
    {
      [inStream]: { type: 'stream', stream_id: plans, topic: 'a', unmuted_stream_msg: true, mentioned: true },
      [inQuietStream]: { type: 'stream', topic: 'b' },
      [direct]: { type: 'private', user_ids: [owner.id] },
    },
    'clients can count the messages',
  );
  const { pms, streams } = await unreadOf(member);
  t.same(
    [...streams, ...pms]
      .flatMap(({ unread_message_ids }) => unread_message_ids)
      .filter((id) => beside.includes(id))
      .sort((a, b) => a - b),
    [inStream, inQuietStream, direct],
    'exactly these are unread',
  );

  await member.api.ok('POST /mark_all_as_read');
  const later = await flagEvents(queue);
  t.match(later, [{ all: true }]);
  t.equal(later.length, 1, 'a mark without messages beside it has one event');
}
