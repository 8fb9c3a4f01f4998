/** Embedded face: a push notification cut off by `kill -9` is sent once more after the restart, under the same id. */
import t from 'tap';
import { Hook } from '../api/support/hook.js';
import { Embedded } from './support/face.js';

const gateway = await Hook.start();
t.teardown(() => gateway.close());
const face = await Embedded.start(['--push-gateway', gateway.url]);
t.teardown(() => face.stop());
const [owner, other] = [face.api(), face.api(face.other)];

interface Push {
  readonly id: string;
  readonly message: { readonly id: number; readonly content: string };
}

const nextPush = async (): Promise<Push> => JSON.parse((await gateway.next()).body) as Push;

const tell = async (content: string): Promise<number> => {
  const to = JSON.stringify([(await owner.ok('GET', '/users/me')).user_id]);
  return (await other.ok('POST', '/messages', { type: 'direct', to, content })).id as number;
};

t.test('a push cut off by kill -9 is sent once more under its id', async (t) => {
  await owner.ok('POST', '/users/me/android_gcm_reg_id', { token: 'a device' });
  // The gateway receives the push and does not respond.
  gateway.answer = () => {};
  const first = await tell('before the crash');
  const cut = await nextPush();
  t.equal(cut.message.id, first);
  await face.server.kill();
  gateway.answer = {};
  await face.up();
  t.same(await nextPush(), cut, 'the repeated push is identical, so a gateway can recognise it');
  const second = await tell('after the crash');
  t.equal((await nextPush()).message.id, second);
});
