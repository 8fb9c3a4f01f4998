import t from 'tap';
import type { Json } from '#base';
import { BucketRateLimiter, parseRateLimitRules, RateLimitCountSharing } from '#frontend/limits';
import { toRealmId, toUserId } from '#model';
import type { DirectoryUser } from '#model/records';
import { FakeClock } from '../../support/fake-clock.js';

const rules = {
  user: parseRateLimitRules('60:10'),
  address: parseRateLimitRules('60:10'),
  mails: [],
  file: parseRateLimitRules('60:10'),
};
const REALM = toRealmId(1);
const person = (id: number, rateLimits?: string): DirectoryUser =>
  ({ id: toUserId(id), ...(rateLimits === undefined ? {} : { rateLimits }) }) as DirectoryUser;

/** Frontends that share. */
function cluster(n: number) {
  const clock = new FakeClock();
  const readers: ((value: Json) => void)[] = [];
  const published: Json[] = [];
  const everybody = {
    publish: (value: Json) => {
      published.push(value);
      // Copied, like over a network.
      for (const reader of readers) reader(JSON.parse(JSON.stringify(value)) as Json);
    },
    follow: (reader: (value: Json) => void) => void readers.push(reader),
  };
  const frontends = Array.from({ length: n }, (_, i) => {
    const limits = new BucketRateLimiter(clock, rules);
    return { limits, sharing: new RateLimitCountSharing(limits, clock, `frontend ${i}`, everybody) };
  });
  return { clock, published, frontends, readers };
}

t.test('calls counted by one frontend count at all of them, within a second', async (t) => {
  const { clock, frontends } = cluster(3);
  const [a, b, c] = frontends.map(({ limits }) => limits);
  for (let i = 0; i < 6; i++) a!.countUserCall('user', REALM, person(8));
  t.equal(b!.countUserCall('user', REALM, person(8))?.remaining, 9, 'not yet');
  clock.advance(1_000);
  t.equal(b!.countUserCall('user', REALM, person(8))?.remaining, 2, 'its own two, and six');
  t.equal(c!.countUserCall('user', REALM, person(8))?.remaining, 2, 'six, one, and its own');
  t.equal(a!.countUserCall('user', REALM, person(8))?.remaining, 2, 'its own are not counted twice');
  t.equal(b!.countUserCall('user', REALM, person(9))?.remaining, 9, 'others are others');
  t.equal(b!.countUserCall('polls', REALM, person(8))?.remaining, 9, 'polls are apart');
});

t.test("limits are exceeded by at most one second's calls", async (t) => {
  const { clock, frontends } = cluster(4);
  let through = 0;
  // Ten calls a second, each at another frontend; the limit is ten a minute.
  for (let i = 0; i < 600; i++) {
    const { limits } = frontends[i % 4]!;
    if (limits.countAddressCall('198.51.100.1')!.waitMs === 0) through++;
    clock.advance(100);
  }
  t.ok(through <= 20, `${through} calls in a minute`);
});

t.test('at most one message a second is sent, and none without calls', async (t) => {
  const { clock, frontends, published } = cluster(2);
  for (let i = 0; i < 1_000; i++) {
    frontends[0]!.limits.countUserCall('user', REALM, person(i % 7));
    clock.advance(10);
  }
  t.ok(published.length <= 10, `${published.length} messages in ten seconds`);
  clock.advance(5_000);
  const { length } = published;
  clock.advance(600_000);
  t.equal(published.length, length);
  t.equal(clock.next(), undefined, 'no timer either');
});

t.test("an account's own limits are sent along", async (t) => {
  const { clock, frontends } = cluster(2);
  const [a, b] = frontends.map(({ limits }) => limits);
  for (let i = 0; i < 3; i++) a!.countUserCall('user', REALM, person(8, '60:5'));
  clock.advance(1_000);
  const standing = b!.countUserCall('user', REALM, person(8, '60:5'));
  t.same([standing?.limit, standing?.remaining], [5, 1]);
  t.equal(a!.countUserCall('user', REALM, person(8, 'off')), undefined);
});

t.test('foreign messages, and buckets without limit, are ignored', async (t) => {
  const { frontends, readers } = cluster(1);
  const { limits } = frontends[0]!;
  const mails = { t: 'calls', from: 'another', rows: [['mails', 'x', 3, '']] };
  for (const value of [
    { t: 'typing' },
    { t: 'calls', from: 'frontend 0', rows: [['user', '1/8', 9, '']] },
    mails,
    {},
  ]) {
    for (const reader of readers) reader(value as Json);
  }
  t.equal(limits.countUserCall('user', REALM, person(8))?.remaining, 9);
  t.equal(limits.countAnonymousMail('x'), undefined);
});

t.test('no count is sent after the stop', async (t) => {
  const { clock, frontends, published } = cluster(1);
  frontends[0]!.limits.countAddressCall('a');
  frontends[0]!.sharing.stopPublishing();
  clock.advance(10_000);
  t.same(published, []);
});
