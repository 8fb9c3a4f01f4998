/** The webhook actor starts calls, repeats them and takes their outcomes. */

import t from 'tap';
import { webhookActorKind } from '#actors/webhook';
import type { Json, JsonObject } from '#base';
import { toRealmId, toUserId, webhookActorKey } from '#model';
import type { CommandContext } from '#runtime';
import { WebhookMemoryState } from '../../../actors/webhook/state.js';

/** The actor in memory: handlers run at once, and the calls that they start are collected. */
class Actor {
  readonly parts = new Map<string, Json>();
  readonly started: string[] = [];
  due: number | null = null;
  now = 1_000;
  readonly volatile = new WebhookMemoryState();

  handle(name: 'triggered' | 'due' | 'called', args: JsonObject): void {
    const view = { state: { warned: 0 }, parts: this.parts, volatile: this.volatile };
    const realm = toRealmId(1);
    const context = { key: webhookActorKey(realm, toUserId(9)), realm, now: this.now } as unknown as CommandContext;
    const { parts = {}, due } = webhookActorKind.commands[name]!.handle(view, args, undefined, context);
    for (const [part, value] of Object.entries(parts)) {
      if (value === null) this.parts.delete(part);
      else this.parts.set(part, value);
    }
    if (due !== undefined) this.due = due;
    for (const { message, tries } of this.volatile.startedCalls.splice(0)) this.started.push(`${message}.${tries}`);
  }

  trigger(message: number): void {
    this.handle('triggered', { message, stream: 0, trigger: 'private_message', origin: 'http://here' });
  }
}

const place = { stream: 0, topic: '', participants: [8, 9], phrase: 'a direct message' };

t.test('a call is made again only when its outcome has not come in time', async (t) => {
  const actor = new Actor();
  actor.trigger(5);
  t.same([actor.started, actor.due], [[], actor.now], 'a host that holds outgoing work sends no due command');
  actor.handle('due', {});
  t.same(actor.started, ['5.0']);
  const end = actor.due!;
  actor.now = end - 1;
  actor.handle('due', {});
  actor.trigger(5);
  t.same([actor.started, actor.due], [['5.0'], end], 'it still runs');
  actor.now = end;
  actor.handle('due', {});
  t.same(actor.started, ['5.0', '5.0'], 'its host has died');
  actor.handle('called', { message: 5, tries: 0, outcome: { is: 'done' } });
  t.same([actor.parts.size, actor.due], [0, null]);
});

t.test('an outcome that comes twice counts once', async (t) => {
  const actor = new Actor();
  actor.trigger(5);
  actor.handle('due', {});
  const outcome = { is: 'later', place, reason: 'it is away' };
  actor.handle('called', { message: 5, tries: 0, outcome });
  t.equal(actor.due, actor.now + 1_000);
  actor.now = actor.due!;
  actor.handle('due', {});
  actor.handle('called', { message: 5, tries: 0, outcome });
  t.same(actor.started, ['5.0', '5.1']);
  actor.handle('called', { message: 5, tries: 1, outcome: { is: 'done' } });
  t.equal(actor.parts.size, 0);
});

t.test('calls that an earlier version stored are made, eight at a time and in order', async (t) => {
  const actor = new Actor();
  const ids = Array.from({ length: 12 }, (_, i) => 20 - i);
  for (const message of ids)
    actor.parts.set(`call/${message}`, { message, trigger: 'mention', origin: 'http://here', tries: 0, next: 0 });
  actor.handle('due', {});
  const expected = [...ids].reverse().map((id) => `${id}.0`);
  t.same(actor.started, expected.slice(0, 8));
  actor.handle('called', { message: 12, tries: 0, outcome: { is: 'done' } });
  t.same(actor.started, expected.slice(0, 9));
});

t.test('calls that wait while their host is drained start at once and in order on the next host', async (t) => {
  const actor = new Actor();
  for (let message = 1; message <= 12; message++) actor.trigger(message);
  actor.handle('due', {});
  actor.volatile.isPartitionDraining = true;
  for (let message = 1; message <= 8; message++) actor.handle('called', { message, tries: 0, outcome: { is: 'done' } });
  actor.trigger(13);
  actor.handle('due', {});
  t.equal(actor.started.length, 8, 'a drain starts no call');
  t.ok(actor.due! > actor.now, 'the due time is in the future');
  actor.now = actor.due!;
  actor.volatile.isPartitionDraining = false;
  actor.handle('due', {});
  t.same(actor.started.slice(8), ['9.0', '10.0', '11.0', '12.0', '13.0']);
  t.ok(actor.now <= 2_000, 'it is soon');
});

t.test('calls that were tried or started while the clock was ahead are made once it is right', async (t) => {
  const actor = new Actor();
  const now = actor.now;
  actor.now = 365 * 86_400_000;
  for (const message of [5, 6]) actor.trigger(message);
  actor.handle('due', {});
  actor.handle('called', { message: 5, tries: 0, outcome: { is: 'later', place, reason: 'it is away' } });
  actor.now = now;
  actor.handle('due', {});
  t.same(actor.started, ['5.0', '6.0', '5.1', '6.0'], 'the next attempt, and a call whose host has died');
  t.ok(actor.due! <= now + 20_000);
});
