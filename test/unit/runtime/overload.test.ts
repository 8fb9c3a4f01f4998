/** An overloaded actor: errors at the deadline, bounded memory, and recovery. */
import t from 'tap';
import { CommandTimeoutError } from '#runtime';
import { MAX_MAILBOX_COMMANDS } from '../../../src/runtime/activation.js';
import { ledgerKey } from '../../cluster/kinds.js';
import { Harness, settle } from './harness.js';

const key = ledgerKey(1);

t.test(
  "commands beyond a mailbox's capacity are refused until their deadline; the rest, and later ones, are carried out",
  async (t) => {
    const h = new Harness();
    await h.take(key);
    await h.ask(key, 'add', { op: 'first' });
    const load = h.hold('before:loadRoot');
    await h.lose('released', key);
    await h.take(key);
    const within = { deadlineMs: 1_000 };
    const sent = Array.from({ length: MAX_MAILBOX_COMMANDS + 500 }, (_, i) =>
      h.client.send(key, 'count', { op: `op ${i}` }, within),
    );
    const outcomes = sent.map(({ reply }) =>
      reply.then(
        (got) => ('value' in got ? 'done' : 'refused'),
        (error: unknown) => (error instanceof CommandTimeoutError ? error.last : 'failed'),
      ),
    );
    const late = Promise.all(outcomes.slice(MAX_MAILBOX_COMMANDS));
    await settle(20);
    t.ok(load.waiting() > 0, 'the actor is being loaded');
    await h.clock.advanceAsync(900);
    await h.clock.advanceAsync(200);
    t.same([...new Set(await late)], ['busy'], 'those beyond the bound were tried until the end');
    load.open();
    await h.clock.advanceAsync(2_000);
    const { total } = (await h.ask(key, 'add', { op: 'last' })) as { total: number };
    t.ok(total >= 2, `${total} operations; the next one is carried out`);
    t.same(h.errors, []);
  },
);
