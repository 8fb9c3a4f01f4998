/** The mail actor with a real mail server on loopback, and a clock that the test moves. */
import t, { type Test } from 'tap';
import { mailActorKind } from '#actors/mail';
import { makeSendMailCommand } from '#actors/shared';
import type { Logger } from '#base';
import { MailDispatcher, type Mailer, MailerUnavailableError, SmtpMailer, UnconfiguredMailer } from '#domain/mail';
import { ServerCryptography } from '#domain/secrets';
import { mailActorKey, partitionOfActor, realmActorKey, toRealmId, type UserId } from '#model';
import type { DirectoryView } from '#model/records';
import { startSmtp } from '../../support/smtp.js';
import { until } from '../../support/until.js';
import { Harness } from '../runtime/harness.js';

const REALM = toRealmId(1);
const KEY = mailActorKey(REALM);
const MINUTE = 60_000;
const SECRETS = new ServerCryptography('a secret of the mail actor');

/** An error as log lines show it: with all its fields. */
const showError = (value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;

class Post {
  readonly lines: string[] = [];
  readonly harness: Harness;
  attempts = 0;

  constructor(mailer: Mailer) {
    const counted: Mailer = {
      send: (mail) => {
        this.attempts++;
        return mailer.send(mail);
      },
      close: () => mailer.close(),
    };
    const note = (context: object, message: string): void =>
      void this.lines.push(`${message} ${JSON.stringify(context, (_, value) => showError(value))}`);
    const logger: Logger = { debug: () => {}, info: note, warn: note, error: note };
    this.harness = new Harness({ mail: mailActorKind }, true, (clock) => ({
      clock,
      mail: new MailDispatcher(counted, clock, logger),
      secrets: SECRETS,
    }));
  }

  send(to: string, bulk?: boolean): Promise<unknown> {
    const { name, args } = makeSendMailCommand(REALM, { to, subject: 'Hello', text: 'text', ...(bulk && { bulk }) });
    return this.harness.ask(KEY, name, args);
  }

  /** Mails in the actor's state. */
  async kept(): Promise<number> {
    return (await this.harness.store.listParts(KEY, 'mail/')).length;
  }

  /** Waits for the decision about the next attempt. @returns ms from now; 0 for none */
  async pause(): Promise<number> {
    let pause = 0;
    await until('an attempt is through', async () => {
      const sleepers = await this.harness.store.listActorsToWake([partitionOfActor(KEY)]);
      const due = sleepers.find(({ key }) => key === KEY)?.due ?? null;
      pause = due === null ? 0 : due - this.harness.clock.now();
      return due === null || pause > 0;
    });
    return pause;
  }
}

async function start(
  t: Test,
  maxClients?: number,
): Promise<{ smtp: Awaited<ReturnType<typeof startSmtp>>; post: Post }> {
  const smtp = await startSmtp(undefined, maxClients);
  t.teardown(() => smtp.away());
  const post = new Post(new SmtpMailer(smtp.url, 'noreply@example.com'));
  await post.harness.take(KEY);
  return { smtp, post };
}

const recipients = (smtp: { received: readonly { to: readonly string[] }[] }): string[] =>
  smtp.received.map(({ to }) => to[0]!).sort();

t.test('a mail is sent at once, and then removed', async (t) => {
  const { smtp, post } = await start(t);
  await post.send('one@example.com');
  await post.harness.clock.advanceAsync(1);
  await until('sent', async () => smtp.received.length === 1 && (await post.kept()) === 0);
  await post.harness.clock.advanceAsync(3 * 24 * 60 * MINUTE);
  t.equal(smtp.received.length, 1, 'once');
});

t.test('a mail to the fake address of an imported account is dropped', async (t) => {
  const { smtp, post } = await start(t);
  await post.send('slackbot@Conclave.invalid');
  await post.send('one@example.com');
  await post.harness.clock.advanceAsync(1);
  await until('sent', async () => smtp.received.length === 1 && (await post.kept()) === 0);
  t.same(recipients(smtp), ['one@example.com']);
  t.equal(post.attempts, 1);
});

t.test(
  'mails wait while the mail server is away, with growing intervals of attempts, and are sent when it is back',
  async (t) => {
    const { smtp, post } = await start(t);
    await smtp.away();
    await post.send('one@example.com');
    await post.harness.clock.advanceAsync(1);
    await until('failed', () => post.lines.length === 1);
    t.match(post.lines[0], /tried again later/);
    t.notMatch(post.lines[0], /one@example.com/, "whom it is for is nobody else's");
    for (const [i, minutes] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      t.equal(Math.ceil((await post.pause()) / MINUTE), minutes);
      t.equal(post.attempts, i + 1);
      await post.harness.clock.advanceAsync(minutes * MINUTE);
    }
    await post.pause();
    t.equal(await post.kept(), 1);
    await smtp.back();
    await until('sent', async () => {
      await post.harness.clock.advanceAsync(MINUTE);
      return smtp.received.length === 1;
    });
    await until('gone', async () => (await post.kept()) === 0);
    t.equal(post.lines.length, 1, 'the log has one line of it');
  },
);

t.test('a host that holds outgoing work keeps mails for the next host', async (t) => {
  const { smtp, post } = await start(t);
  const { harness } = post;
  await harness.lose('released', KEY);
  harness.holdsOutgoingWork = true;
  harness.newHost();
  await harness.take(KEY);
  await post.send('one@example.com');
  await harness.clock.advanceAsync(24 * 60 * MINUTE);
  await post.send('two@example.com');
  await harness.clock.advanceAsync(MINUTE);
  t.equal(post.attempts, 0);
  t.equal(await post.kept(), 2);
  await harness.lose('released', KEY);
  harness.holdsOutgoingWork = false;
  harness.newHost();
  await harness.take(KEY);
  await harness.clock.advanceAsync(1);
  await until('sent', async () => smtp.received.length === 2 && (await post.kept()) === 0);
  t.same(recipients(smtp), ['one@example.com', 'two@example.com']);
});

t.test('mails that waited while their account or organization was deactivated are not sent', async (t) => {
  const { smtp, post } = await start(t);
  const activeById = new Map([
    [8, true],
    [9, false],
  ]);
  const directoryOf = (deactivated: boolean): DirectoryView =>
    ({
      deactivated,
      user: (id: UserId) => (activeById.has(id) ? { id, isActive: activeById.get(id) } : undefined),
    }) as unknown as DirectoryView;
  const sendAll = async (): Promise<void> => {
    for (const [to, needs] of Object.entries({ active: 8, gone: 9, unknown: 10, any: undefined })) {
      const mail = { to: `${to}@example.com`, subject: 'Hello', text: 'text', ...(needs && { needs }) };
      const { name, args } = makeSendMailCommand(REALM, mail);
      await post.harness.ask(KEY, name, args);
    }
    await until('settled', async () => {
      await post.harness.clock.advanceAsync(1);
      return (await post.kept()) === 0;
    });
  };
  post.harness.directory = directoryOf(false);
  await sendAll();
  t.same(recipients(smtp), ['active@example.com', 'any@example.com', 'unknown@example.com']);
  smtp.received.length = 0;
  post.harness.directory = directoryOf(true);
  await sendAll();
  t.same(recipients(smtp), ['any@example.com'], 'a mail about the deactivation itself');
});

t.test('mails whose invitation was deleted while they waited are not sent', async (t) => {
  const { smtp, post } = await start(t);
  post.harness.directory = { user: () => undefined } as unknown as DirectoryView;
  const invitation = { type: 'part', key: realmActorKey(REALM), rev: 1 } as const;
  await post.harness.store.applyRecords([
    { ...invitation, part: 'invitation/1', value: {} },
    { ...invitation, part: 'invitation/2', value: null },
  ]);
  for (const [to, needsPart] of Object.entries({ valid: 'invitation/1', revoked: 'invitation/2', any: undefined })) {
    const mail = { to: `${to}@example.com`, subject: 'Hello', text: 'text', needs: 8, ...(needsPart && { needsPart }) };
    const { name, args } = makeSendMailCommand(REALM, mail);
    await post.harness.ask(KEY, name, args);
  }
  await until('settled', async () => {
    await post.harness.clock.advanceAsync(1);
    return (await post.kept()) === 0;
  });
  t.same(recipients(smtp), ['any@example.com', 'valid@example.com']);
});

t.test('any number of waiting mails makes one log line an hour, without stack', async (t) => {
  const post = new Post(new UnconfiguredMailer());
  await post.harness.take(KEY);
  const failed = async (attempts: number): Promise<void> => {
    await until('tried', async () => {
      await post.harness.clock.advanceAsync(1_000);
      return post.attempts >= attempts;
    });
    await post.pause();
  };
  await post.send('one@example.com');
  await failed(1);
  for (let i = 0; i < 5; i++) await post.send(`more${i}@example.com`);
  await failed(2);
  t.same(post.lines, [
    `the mail server is away: mails wait and are tried again later {"mails":1,"reason":"no --smtp-url is given"}`,
  ]);
  await post.harness.clock.advanceAsync(60 * MINUTE);
  const before = post.attempts;
  await post.send('late@example.com');
  await failed(before + 1);
  t.equal(post.lines.length, 2);
  t.match(post.lines[1], '"mails":6', 'the five between are counted, and the new one');
});

t.test('a command does not wait for the mail server, and no mail waits for another', async (t) => {
  const { smtp, post } = await start(t);
  smtp.refuse = (address) => (address.startsWith('busy') ? 451 : undefined);
  const names = Array.from({ length: 100 }, (_, i) => `${i % 3 === 0 ? 'busy' : 'ready'}${i}@example.com`);
  await Promise.all(names.map((to) => post.send(to)));
  const ready = names.filter((to) => to.startsWith('ready')).sort();
  await until('sent', async () => {
    await post.harness.clock.advanceAsync(1);
    return smtp.received.length === ready.length && post.attempts === names.length;
  });
  t.same(recipients(smtp), ready);
  smtp.refuse = () => undefined;
  await until('sent', async () => {
    await post.harness.clock.advanceAsync(MINUTE);
    return smtp.received.length === names.length;
  });
  t.same(recipients(smtp), names.sort());
});

/** Lets runs follow one another for a minute, which is too short for a mail that waits after a failure. */
async function withinAMinute(post: Post, what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = post.harness.clock.now() + MINUTE;
  await until(what, async () => {
    if (post.harness.clock.now() + 1000 < end) await post.harness.clock.advanceAsync(1000);
    return isTrue();
  });
}

t.test('a mail server that allows three connections at a time gets forty mails within a minute', async (t) => {
  const { smtp, post } = await start(t, 3);
  const names = Array.from({ length: 40 }, (_, i) => `user${i}@example.com`).sort();
  await Promise.all(names.map((to) => post.send(to)));
  await withinAMinute(post, 'sent', () => smtp.received.length === names.length);
  t.same(recipients(smtp), names);
});

t.test('a recipient at whom the mail server hangs up delays no mail to others', async (t) => {
  const { smtp, post } = await start(t);
  smtp.hangUp = (address) => address.startsWith('poison');
  const others = Array.from({ length: 39 }, (_, i) => `user${i}@example.com`).sort();
  await Promise.all(['poison@example.com', ...others].map((to) => post.send(to)));
  await withinAMinute(post, 'sent', () => smtp.received.length === others.length);
  t.same(recipients(smtp), others);
  t.equal(await post.kept(), 1);
  t.match(post.lines, [/^a mail could not be sent/], 'nothing says that the mail server is away');
});

t.test('mails that were not tried during an outage are sent seconds after it', async (t) => {
  const { smtp, post } = await start(t);
  await smtp.away();
  await Promise.all(Array.from({ length: 20 }, (_, i) => post.send(`user${i}@example.com`)));
  await post.harness.clock.advanceAsync(1);
  t.equal(Math.ceil((await post.pause()) / 1000), 10);
  const tried = post.attempts;
  await smtp.back();
  await withinAMinute(post, 'sent', () => smtp.received.length === 20 - tried);
  t.ok(tried < 20, `${tried} were tried`);
});

t.test('a link for a new password is sent before invitations that were stored earlier', async (t) => {
  const { smtp, post } = await start(t);
  for (let i = 0; i < 50; i++) await post.send(`invited${i}@example.com`, true);
  await post.send('reset@example.com');
  await until('sent', async () => {
    await post.harness.clock.advanceAsync(1);
    return smtp.received.length === 51;
  });
  t.same(smtp.received[0]?.to, ['reset@example.com']);
});

t.test('a run sends some invitations even if more other mails wait than it can send', async (t) => {
  const { smtp, post } = await start(t);
  for (let i = 0; i < 100; i++) await post.send(`user${i}@example.com`);
  for (let i = 0; i < 4; i++) await post.send(`invited${i}@example.com`, true);
  await until('sent', async () => {
    await post.harness.clock.advanceAsync(1);
    return smtp.received.length === 104;
  });
  const invited = recipients({ received: smtp.received.slice(0, 40) }).filter((to) => to.startsWith('invited'));
  t.equal(invited.length, 4);
});

t.test('an invitation at which the mail server hangs up delays no others, even while mails keep coming', async (t) => {
  const { smtp, post } = await start(t);
  smtp.hangUp = (address) => address.startsWith('poison');
  await post.send('poison@example.com', true);
  for (let i = 0; i < 5; i++) await post.send(`invited${i}@example.com`, true);
  await post.send('reset@example.com');
  await withinAMinute(post, 'sent', async () => {
    await post.send('reset@example.com');
    return recipients(smtp).filter((to) => to.startsWith('invited')).length === 5;
  });
  t.match(post.lines, [/^a mail could not be sent/]);
});

t.test('new mails wait ten seconds after an attempt that found the mail server away', async (t) => {
  const { smtp, post } = await start(t);
  await smtp.away();
  await post.send('first@example.com');
  await post.harness.clock.advanceAsync(1);
  await until('tried', () => post.lines.length === 1);
  await post.pause();
  for (let second = 1; second < 10; second++) {
    await post.send(`user${second}@example.com`);
    await post.harness.clock.advanceAsync(1_000);
  }
  t.equal(post.attempts, 1);
  await smtp.back();
  await post.harness.clock.advanceAsync(1_000);
  await until('sent', () => smtp.received.length === 9);
});

t.test('a mail that is stored during a failing attempt waits for ten seconds, too', async (t) => {
  let fail = (): void => {};
  const hanging = new Promise<void>((_, reject) => {
    fail = () => reject(new MailerUnavailableError('away'));
  });
  const post = new Post({ send: () => hanging, close: async () => {} });
  await post.harness.take(KEY);
  await post.send('first@example.com');
  await post.harness.clock.advanceAsync(1);
  await until('tried', () => post.attempts === 1);
  await post.send('second@example.com');
  await post.harness.clock.advanceAsync(1);
  fail();
  t.equal(await post.pause(), 10_000);
  t.equal(post.attempts, 1);
});

t.test('mails that were tried or stored while the clock was ahead are sent once it is right', async (t) => {
  const day = 24 * 60 * MINUTE;
  const { smtp, post } = await start(t);
  const { clock } = post.harness;
  clock.correctWallTime(day);
  await smtp.away();
  await post.send('tried@example.com');
  await clock.advanceAsync(1);
  await until('tried', () => post.lines.length === 1);
  await post.pause();
  await post.send('stored@example.com');
  clock.correctWallTime(-day);
  await smtp.back();
  await clock.advanceAsync(MINUTE);
  await until('sent', () => smtp.received.length === 2);
  await until('none is left to be sent again', async () => (await post.kept()) === 0);
});

t.test('the next host sends the mails of a host whose clock was ahead', async (t) => {
  const day = 24 * 60 * MINUTE;
  const { smtp, post } = await start(t);
  const { harness } = post;
  harness.clock.correctWallTime(day);
  await smtp.away();
  await post.send('tried@example.com');
  await harness.clock.advanceAsync(1);
  await until('tried', () => post.lines.length === 1);
  await post.pause();
  await harness.lose('released', KEY);
  harness.clock.correctWallTime(-day);
  await smtp.back();
  harness.newHost();
  await harness.take(KEY);
  await withinAMinute(post, 'sent', () => smtp.received.length === 1);
  await until('none is left to be sent again', async () => (await post.kept()) === 0);
});

t.test('a mail refused for good, or with an invalid address, is dropped, with a log line', async (t) => {
  const { smtp, post } = await start(t);
  smtp.refuse = (address) => (address.startsWith('gone') ? 550 : undefined);
  for (const to of ['gone@example.com', 'no address\r\nBcc: x@example.com', 'here@example.com']) await post.send(to);
  await until('settled', async () => {
    await post.harness.clock.advanceAsync(1);
    return (await post.kept()) === 0;
  });
  t.same(recipients(smtp), ['here@example.com']);
  t.equal(post.lines.filter((line) => line.includes('refused for good')).length, 2);
});

t.test('log lines of refused mails have the codes of the mail server, and no address', async (t) => {
  const { smtp, post } = await start(t);
  smtp.refuse = (address) => (address.startsWith('gone') ? 550 : 451);
  smtp.refusal = (address) => `5.1.1 <${address}>: Recipient address rejected`;
  for (const to of ['gone@example.com', 'busy@example.com', 'no address\r\nBcc: x@example.com']) await post.send(to);
  await until('tried', async () => {
    await post.harness.clock.advanceAsync(1);
    return post.lines.length === 3;
  });
  t.match(
    post.lines.find((line) => line.includes('RCPT TO: 550')),
    '"reason":"RCPT TO: 550 5.1.1"',
  );
  t.match(
    post.lines.find((line) => line.includes('RCPT TO: 451')),
    '"reason":"RCPT TO: 451 5.1.1"',
  );
  t.notMatch(post.lines.join(), 'example.com');
});

t.test('a mail is given up after three days', async (t) => {
  const { smtp, post } = await start(t);
  await smtp.away();
  await post.send('one@example.com');
  await post.harness.clock.advanceAsync(1);
  let waited = 0;
  for (let pause = await post.pause(); pause > 0; pause = await post.pause()) {
    waited += pause;
    await post.harness.clock.advanceAsync(pause);
  }
  t.ok(waited >= 72 * 60 * MINUTE && waited <= 73 * 60 * MINUTE, `after ${waited} ms`);
  t.equal(await post.kept(), 0);
  t.match(post.lines.at(-1), /could not be sent for three days/);
  t.same(smtp.received, []);
});

t.test('a dying host keeps its unsent mails, and the next owner sends them', async (t) => {
  const { smtp, post } = await start(t);
  await smtp.away();
  for (let i = 0; i < 5; i++) await post.send(`user${i}@example.com`);
  await post.harness.lose('lapsed', KEY);
  await smtp.back();
  post.harness.newHost();
  await post.harness.take(KEY);
  await until('sent', async () => {
    await post.harness.clock.advanceAsync(MINUTE);
    return smtp.received.length >= 5 && (await post.kept()) === 0;
  });
  t.same(
    [...new Set(recipients(smtp))],
    Array.from({ length: 5 }, (_, i) => `user${i}@example.com`),
  );
});

t.test('a host that stops while it sends mails loses none and sends none twice', async (t) => {
  const sent: string[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const post = new Post({
    async send({ to }) {
      if (sent.length >= 3) await gate;
      sent.push(to);
    },
    close: async () => {},
  });
  const { harness } = post;
  await harness.take(KEY);
  const names = Array.from({ length: 100 }, (_, i) => `user${i}@example.com`).sort();
  await Promise.all(names.map((to) => post.send(to)));
  await harness.clock.advanceAsync(1);
  await until('several are under way', () => post.attempts > 4);
  const stopped = harness.lose('released', KEY);
  open();
  await stopped;
  const before = sent.length;
  t.ok(before < names.length, `${before} were sent by the first host`);
  harness.newHost();
  await harness.take(KEY);
  await withinAMinute(post, 'sent', () => sent.length >= names.length);
  await until('gone', async () => (await post.kept()) === 0);
  t.same(sent.sort(), names);
});

t.test('a mail sent just before a crash is sent again as the same mail', async (t) => {
  const { smtp, post } = await start(t);
  // The commit after the sending never happens.
  const { store } = post.harness;
  await post.send('one@example.com');
  const commit = store.commit.bind(store);
  store.commit = () => new Promise(() => {});
  await post.harness.clock.advanceAsync(1);
  await until('sent', () => smtp.received.length === 1);
  await post.harness.lose('lapsed', KEY);
  store.commit = commit;
  post.harness.newHost();
  await post.harness.take(KEY);
  await until('sent again', async () => {
    await post.harness.clock.advanceAsync(1);
    return smtp.received.length === 2 && (await post.kept()) === 0;
  });
  const ids = smtp.received.map(({ raw }) => /^message-id: (.*)$/im.exec(raw)?.[1]);
  t.match(ids[0], /^<1-1-\w+@example.com>$/);
  t.equal(ids[0], ids[1]);
});
