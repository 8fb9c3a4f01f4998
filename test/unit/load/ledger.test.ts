/** The ledger of deliveries: expected, missing and unexpected deliveries of messages. */
import t from 'tap';
import { Ledger } from '../../load/ledger.js';
import { findToken, makeToken } from '../../load/tokens.js';

const EMPTY_BALANCE = { expected: 0, delivered: 0, missing: 0, unexpected: 0, unacknowledged: 0 };
const STREAM = [0, 1, 2];

/** @returns a ledger in which users 0, 1 and 2 are in stream 0, and their clients have event queues since time 10 */
function makeLedger(devices = 1): Ledger {
  const made = new Ledger(() => STREAM, devices);
  for (let client = 0; client < 3 * devices; client++) made.queueStarted({ client, asked: 5, since: 10 });
  return made;
}

const makeSent = (token: string, at = 20) => ({ token, stream: 0, users: [], at, acknowledged: at + 1 });

t.test('a message seen once by each subscriber has no missing delivery', async (test) => {
  const of = makeLedger();
  of.sent(makeSent('a'));
  of.delivered('a', 2);
  of.delivered('a', 1);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 3, delivered: 3 });
  of.closeCompleteMessages(100);
  test.strictSame(
    of.balance(),
    { ...EMPTY_BALANCE, expected: 3, delivered: 3 },
    'the balance stays after the complete message is removed',
  );
});

t.test('a message is expected once at each device of a user', async (test) => {
  const of = makeLedger(2);
  of.sent(makeSent('a'));
  of.delivered('a', 5);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 6, delivered: 5, missing: 1 });
});

t.test('a delivery too few is missing, and a delivery too many is unexpected', async (test) => {
  const of = makeLedger();
  of.sent(makeSent('a'));
  of.delivered('a', 2);
  of.sent(makeSent('b'));
  of.delivered('b', 4);
  of.closeCompleteMessages(100);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 6, delivered: 6, missing: 1, unexpected: 1 });
});

t.test('a client whose queue changes often expects only messages of the time when it has a queue', async (test) => {
  const of = makeLedger();
  for (let i = 0; i < 20; i++) {
    of.queueEnded({ client: 2, at: 30 + 10 * i });
    of.queueStarted({ client: 2, asked: 31 + 10 * i, since: 35 + 10 * i });
  }
  of.closeCompleteMessages(10);
  of.sent(makeSent('a'));
  of.delivered('a', 3);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 3, delivered: 3 });
  of.closeCompleteMessages(1e6);
  test.strictSame(
    of.balance(),
    { ...EMPTY_BALANCE, expected: 3, delivered: 3 },
    'the balance stays after old queue lifetimes are removed',
  );
  of.sent(makeSent('b', 1e6));
  of.delivered('b', 4);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 6, delivered: 7, unexpected: 1 });
});

t.test('a direct message is expected at its participants', async (test) => {
  const of = makeLedger();
  of.sent({ ...makeSent('a'), stream: -1, users: [0, 2] });
  of.delivered('a', 2);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 2, delivered: 2 });
});

t.test('a client that registers during the send may or may not get the message', async (test) => {
  for (const seen of [3, 4]) {
    const of = new Ledger(() => [0, 1, 2, 3], 1);
    for (let client = 0; client < 3; client++) of.queueStarted({ client, asked: 5, since: 10 });
    of.queueStarted({ client: 3, asked: 19, since: 30 });
    of.sent(makeSent('a'));
    of.delivered('a', seen);
    test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: seen, delivered: seen });
  }
});

t.test('a client that registers after the send must not get the message', async (test) => {
  const of = new Ledger(() => [0, 1], 1);
  of.queueStarted({ client: 0, asked: 5, since: 10 });
  of.queueStarted({ client: 1, asked: 50, since: 60 });
  of.sent(makeSent('a'));
  of.delivered('a', 2);
  test.equal(of.balance().unexpected, 1);
});

t.test(
  'a client whose queue ends after the send may get the message; one whose queue ended earlier must not',
  async (test) => {
    const of = makeLedger();
    of.queueEnded({ client: 1, at: 25 });
    of.queueEnded({ client: 2, at: 15 });
    of.sent(makeSent('a'));
    of.delivered('a', 1);
    test.strictSame(of.balance(), { ...EMPTY_BALANCE, expected: 1, delivered: 1 });
    of.delivered('a', 2);
    test.equal(of.balance().unexpected, 1);
  },
);

t.test('deliveries of an unacknowledged message have a count of their own', async (test) => {
  const of = makeLedger();
  of.delivered('lost', 3);
  of.closeCompleteMessages(100);
  test.strictSame(of.balance(), { ...EMPTY_BALANCE, delivered: 3, unacknowledged: 3 });
});

t.test('a token is found in a rendered message, and the token of another run is not', async (test) => {
  const token = makeToken('ab12cd', 17, 300, 123_456.789);
  const found = findToken(`<p>See <a href="https://x">x</a></p>\n<p>${token}</p>`, 'ab12cd');
  test.equal(found?.token, token);
  test.ok(Math.abs(found!.at - 123_456.789) < 0.001);
  test.equal(findToken(token, 'ffffff'), undefined);
  test.equal(findToken('ld-ab12cd-', 'ab12cd'), undefined);
});
