/**
 * Chat of two clients of the npm package `zulip-js`.
 *
 * Usage: zulip-js-chat.mjs PACKAGE_FOLDER ZULIPRC_1 ZULIPRC_2 [SECONDS]
 *
 * PACKAGE_FOLDER is the folder in which `npm install zulip-js` was run. Exit code 0: each client received every
 * message.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, first, second, seconds = '25'] = process.argv.slice(2);
const zulip = createRequire(join(folder, 'package.json'))('zulip-js');
const STREAM = 'clients';
const TOPIC = 'zulip-js';

function ok(result) {
  if (result.result !== 'success') throw new Error(`refused: ${JSON.stringify(result)}`);
  return result;
}

const toStream = { type: 'stream', to: STREAM, topic: TOPIC };

/**
 * Receives by the package's endless loop. The loop doesn't report when it has registered, so the other client repeats a
 * message until the loop receives it.
 */
async function byLoop(client, seen) {
  let heard = false;
  void client.callOnEachEvent(
    (event) => {
      if (event.type !== 'message') return;
      heard = true;
      if (!event.message.content.includes('knock')) seen(event);
    },
    ['message'],
  );
  while (!heard) {
    ok(await client.messages.send({ ...toStream, content: 'knock' }));
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Receives by `register` and `retrieve`, as clients with a loop of their own do. */
async function byHand(client, seen) {
  const { queue_id, last_event_id } = ok(await client.queues.register({ event_types: ['message'] }));
  let last = last_event_id;
  void (async () => {
    for (;;) {
      const { events } = ok(await client.events.retrieve({ queue_id, last_event_id: last }));
      for (const event of events) {
        last = Math.max(last, event.id);
        seen(event);
      }
    }
  })();
}

const timer = setTimeout(() => {
  console.log('incomplete');
  process.exit(1);
}, Number(seconds) * 1000);

const owner = await zulip({ zuliprc: first });
const other = await zulip({ zuliprc: second });
console.log(`server: feature level ${(await owner.server.settings()).zulip_feature_level}`);
const [me, you] = await Promise.all([owner, other].map((client) => client.users.me.getProfile().then(ok)));
const subscriptions = JSON.stringify([{ name: STREAM }]);
ok(await owner.users.me.subscriptions.add({ subscriptions, principals: JSON.stringify([me.email, you.email]) }));

const counts = new Map();
const wanted = 4;
let finish;
const finished = new Promise((resolve) => {
  finish = resolve;
});
const note = (who) => (event) => {
  if (event.type !== 'message') return;
  const { id, type, subject, sender_full_name, content } = event.message;
  console.log(`${who} saw ${id} in ${type === 'stream' ? subject : 'direct'} from ${sender_full_name}: ${content}`);
  counts.set(who, (counts.get(who) ?? 0) + 1);
  if (counts.size === 2 && [...counts.values()].every((n) => n === wanted)) finish();
};
await byLoop(owner, note('callOnEachEvent'));
await byHand(other, note('retrieve'));

ok(await owner.messages.send({ ...toStream, content: '**hello** stream' }));
ok(await owner.messages.send({ type: 'private', to: you.email, content: 'hello you' }));
ok(await other.messages.send({ ...toStream, content: 'hello back, stream' }));
ok(await other.messages.send({ type: 'private', to: me.email, content: 'hello back, you' }));
await finished;
clearTimeout(timer);
console.log('complete');
process.exit(0);
