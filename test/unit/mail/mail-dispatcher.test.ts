/** The dispatcher of mails with a mail server that counts its connections, and a clock that the test moves. */
import t from 'tap';
import type { Logger } from '#base';
import { MailDispatcher, type Mailer, MailerUnavailableError, type QueuedMail } from '#domain/mail';
import { FakeClock, settle } from '../../support/fake-clock.js';

const MINUTE = 60_000;
const LOGGER: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function start() {
  const clock = new FakeClock();
  const server = { open: 0, mostOpen: 0, refused: 0, maxOpen: Number.POSITIVE_INFINITY };
  const mailer: Mailer = {
    async send() {
      server.mostOpen = Math.max(server.mostOpen, ++server.open);
      try {
        await settle(1);
        if (server.open <= server.maxOpen) return;
        server.refused++;
        throw new MailerUnavailableError('too many connections');
      } finally {
        server.open--;
      }
    },
    close: async () => {},
  };
  const dispatcher = new MailDispatcher(mailer, clock, LOGGER);
  const mails = Array.from(
    { length: 20 },
    (_, i): QueuedMail => ({ id: `${i}`, to: 'a@example.com', subject: '', text: '', date: clock.now(), tries: 0 }),
  );
  /** Sends twenty mails. @returns the most connections at a time */
  const sendSome = async (): Promise<number> => {
    server.mostOpen = 0;
    await dispatcher.sendAllOnce(mails);
    return server.mostOpen;
  };
  return { clock, server, sendSome };
}

t.test('one failed connection keeps mails on one connection for a minute, not for an hour', async (t) => {
  const { clock, server, sendSome } = start();
  for (let i = 0; i < 3; i++) {
    server.maxOpen = 3;
    t.equal(await sendSome(), 4);
    server.maxOpen = Number.POSITIVE_INFINITY;
    t.equal(await sendSome(), 1);
    await clock.advanceAsync(MINUTE);
    t.equal(await sendSome(), 4, 'a success over all connections resets the time');
  }
});

t.test('a server that keeps refusing parallel connections is tried with them once an hour in the end', async (t) => {
  const { clock, server, sendSome } = start();
  server.maxOpen = 1;
  const times: number[] = [];
  for (let minute = 0; minute < 5 * 60; minute++) {
    if ((await sendSome()) > 1) times.push(minute);
    await clock.advanceAsync(MINUTE);
  }
  t.same(times, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
});

t.test('a wall clock that was ahead keeps no mails on one connection', async (t) => {
  const { clock, server, sendSome } = start();
  clock.correctWallTime(24 * 60 * MINUTE);
  server.maxOpen = 1;
  await sendSome();
  server.maxOpen = Number.POSITIVE_INFINITY;
  clock.correctWallTime(-24 * 60 * MINUTE);
  await clock.advanceAsync(MINUTE);
  t.equal(await sendSome(), 4);
});
