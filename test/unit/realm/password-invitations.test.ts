/** Imported accounts are invited by mail to set a password: some each minute, each once, also over crashes. */
import t, { type Test } from 'tap';
import { mailActorKind } from '#actors/mail';
import { makePasswordInvitationsPart, realmActorKind } from '#actors/realm';
import { MailDispatcher, SmtpMailer } from '#domain/mail';
import { USER_ROLE } from '#domain/people';
import { ServerCryptography } from '#domain/secrets';
import { mailActorKey, realmActorKey, toEpoch, toRealmId } from '#model';
import type { DirectoryView } from '#model/records';
import { startSmtp } from '../../support/smtp.js';
import { until } from '../../support/until.js';
import { Harness } from '../runtime/harness.js';

const REALM = toRealmId(1);
const KEY = realmActorKey(REALM);
const MAIL_KEY = mailActorKey(REALM);
const SECRETS = new ServerCryptography('a secret of the invitations');
const MINUTE = 60_000;
const LOGGER = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A realm with a list of people to invite. @param phase of the organization */
async function imported(t: Test, people: number, phase = 'active') {
  const smtp = await startSmtp();
  t.teardown(() => smtp.away());
  const mailer = new SmtpMailer(smtp.url, 'noreply@example.com');
  t.teardown(() => mailer.close());
  const harness = new Harness({ realm: realmActorKind, mail: mailActorKind }, true, (clock) => ({
    clock,
    secrets: SECRETS,
    mail: new MailDispatcher(mailer, clock, LOGGER),
  }));
  const ids = Array.from({ length: people }, (_, i) => 8 + i);
  const user = (id: number) => {
    const email = id === 9 ? 'no-mailbox@conclave.invalid' : `user${id}@example.com`;
    const role = id === 8 ? USER_ROLE.owner : USER_ROLE.member;
    return { id, email, deliveryEmail: email, fullName: `User ${id}`, role, isActive: id !== 10, botType: null };
  };
  harness.directory = { deactivated: false, user } as unknown as DirectoryView;
  const parts = Object.entries(makePasswordInvitationsPart('http://a.example', ids, harness.clock.now()));
  await harness.store.commit({
    key: KEY,
    epoch: toEpoch(0),
    expected: 0,
    outbox: [],
    due: harness.clock.now(),
    state: { ...realmActorKind.makeInitialState(KEY), phase },
    records: [
      ...ids.map((id) => ({ type: 'part', key: KEY, part: `user/${id}`, rev: 1, value: user(id) }) as const),
      ...parts.map(([part, value]) => ({ type: 'part', key: KEY, part, rev: 1, value }) as const),
    ],
  });
  const take = () => harness.take(KEY, MAIL_KEY);
  /** Moves the clock, and then until no mail waits to be sent. */
  const pass = async (ms: number): Promise<void> => {
    await harness.clock.advanceAsync(ms);
    await until('all mails are sent', async () => {
      await harness.clock.advanceAsync(1);
      return (await harness.store.listParts(MAIL_KEY, 'mail/')).length === 0;
    });
  };
  const receivers = (): string[] => smtp.received.map(({ to }) => to[0]!).sort();
  return { harness, take, pass, receivers, smtp };
}

const invited = (...ids: number[]): string[] => ids.map((id) => `user${id}@example.com`).sort();
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

t.test('60 accounts a minute are invited, each once; none without an address, none that is deactivated', async (t) => {
  const { take, pass, receivers, smtp, harness } = await imported(t, 130);
  await take();
  await pass(1_000);
  t.strictSame(receivers(), invited(8, ...range(11, 67)), 'the first 60 but for two');
  t.match(smtp.received[0]!.raw, /http:\/\/a\.example\/accounts\/password\/reset\/[\w=\r\n.-]+/);
  await pass(MINUTE);
  t.equal(receivers().length, 118);
  await pass(MINUTE);
  await pass(MINUTE);
  t.strictSame(receivers(), invited(8, ...range(11, 137)), 'everybody, once');
  t.strictSame(await harness.store.listParts(KEY, 'password-invitations'), [], 'the list is gone');
});

t.test('after crashes the rest is invited, and nobody twice', async (t) => {
  const { harness, take, pass, receivers } = await imported(t, 130);
  for (let crash = 0; crash < 4; crash++) {
    harness.newHost();
    await take();
    await pass(MINUTE);
    await harness.lose('lapsed', KEY, MAIL_KEY);
  }
  t.strictSame(receivers(), invited(8, ...range(11, 137)));
});

t.test('a closed organization invites when it is open again', async (t) => {
  const { harness, take, pass, receivers } = await imported(t, 3, 'deactivated');
  await take();
  await pass(MINUTE);
  await pass(MINUTE);
  t.strictSame(receivers(), []);
  harness.begin(KEY, 'reactivate');
  await pass(MINUTE);
  await pass(MINUTE);
  t.strictSame(receivers(), invited(8));
});

t.test('accounts are invited on once a clock that was ahead is right', async (t) => {
  const { harness, take, pass, receivers } = await imported(t, 130);
  harness.clock.correctWallTime(365 * 24 * 60 * MINUTE);
  await take();
  await pass(1_000);
  harness.clock.correctWallTime(-365 * 24 * 60 * MINUTE);
  for (let minute = 0; minute < 3; minute++) await pass(MINUTE);
  t.strictSame(receivers(), invited(8, ...range(11, 137)));
});
