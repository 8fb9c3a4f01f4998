/** Which client should have seen which message: counted, not guessed. */
import t from 'tap';
import { Ledger } from '../../load/ledger.js';
import { tokenIn, tokenText } from '../../load/tokens.js';

const NOBODY = { expected: 0, delivered: 0, missing: 0, unexpected: 0, unacknowledged: 0 };
const STREAM = [0, 1, 2];

/** Users 0, 1 and 2 are in stream 0, with one client each that is there since 10. */
function ledger(devices = 1): Ledger {
  const made = new Ledger(() => STREAM, devices);
  for (let client = 0; client < 3 * devices; client++) made.live({ client, asked: 5, since: 10 });
  return made;
}

const sent = (token: string, at = 20) => ({ token, stream: 0, users: [], at, acknowledged: at + 1 });

t.test('each subscriber sees it once: nothing is missing', async (test) => {
  const of = ledger();
  of.sent(sent('a'));
  of.delivered('a', 2);
  of.delivered('a', 1);
  test.strictSame(of.balance(), { ...NOBODY, expected: 3, delivered: 3 });
  of.settle(100);
  test.strictSame(of.balance(), { ...NOBODY, expected: 3, delivered: 3 }, 'also when it is forgotten');
});

t.test('each device counts', async (test) => {
  const of = ledger(2);
  of.sent(sent('a'));
  of.delivered('a', 5);
  test.strictSame(of.balance(), { ...NOBODY, expected: 6, delivered: 5, missing: 1 });
});

t.test('one that did not see it is missing, one too many is unexpected', async (test) => {
  const of = ledger();
  of.sent(sent('a'));
  of.delivered('a', 2);
  of.sent(sent('b'));
  of.delivered('b', 4);
  of.settle(100);
  test.strictSame(of.balance(), { ...NOBODY, expected: 6, delivered: 6, missing: 1, unexpected: 1 });
});

t.test('whoever comes and goes many times before all is reported has seen it where he was', async (test) => {
  const of = ledger();
  for (let i = 0; i < 20; i++) {
    of.gone({ client: 2, at: 30 + 10 * i });
    of.live({ client: 2, asked: 31 + 10 * i, since: 35 + 10 * i });
  }
  of.settle(10);
  of.sent(sent('a'));
  of.delivered('a', 3);
  test.strictSame(of.balance(), { ...NOBODY, expected: 3, delivered: 3 });
  of.settle(1e6);
  test.strictSame(of.balance(), { ...NOBODY, expected: 3, delivered: 3 }, 'also when the stays are forgotten');
  of.sent(sent('b', 1e6));
  of.delivered('b', 4);
  test.strictSame(of.balance(), { ...NOBODY, expected: 6, delivered: 7, unexpected: 1 });
});

t.test('a direct message is for those whom it names', async (test) => {
  const of = ledger();
  of.sent({ ...sent('a'), stream: -1, users: [0, 2] });
  of.delivered('a', 2);
  test.strictSame(of.balance(), { ...NOBODY, expected: 2, delivered: 2 });
});

t.test('who registers while it is sent may see it or not', async (test) => {
  for (const seen of [3, 4]) {
    const of = new Ledger(() => [0, 1, 2, 3], 1);
    for (let client = 0; client < 3; client++) of.live({ client, asked: 5, since: 10 });
    of.live({ client: 3, asked: 19, since: 30 });
    of.sent(sent('a'));
    of.delivered('a', seen);
    test.strictSame(of.balance(), { ...NOBODY, expected: seen, delivered: seen });
  }
});

t.test('who comes later must not see it', async (test) => {
  const of = new Ledger(() => [0, 1], 1);
  of.live({ client: 0, asked: 5, since: 10 });
  of.live({ client: 1, asked: 50, since: 60 });
  of.sent(sent('a'));
  of.delivered('a', 2);
  test.equal(of.balance().unexpected, 1);
});

t.test('who loses its queue afterwards may have seen it or not, whoever left before must not', async (test) => {
  const of = ledger();
  of.gone({ client: 1, at: 25 });
  of.gone({ client: 2, at: 15 });
  of.sent(sent('a'));
  of.delivered('a', 1);
  test.strictSame(of.balance(), { ...NOBODY, expected: 1, delivered: 1 });
  of.delivered('a', 2);
  test.equal(of.balance().unexpected, 1);
});

t.test('deliveries of a message that nobody acknowledged are told apart', async (test) => {
  const of = ledger();
  of.delivered('lost', 3);
  of.settle(100);
  test.strictSame(of.balance(), { ...NOBODY, delivered: 3, unacknowledged: 3 });
});

t.test('a token is found again in a rendered message, and no other run is', async (test) => {
  const token = tokenText('ab12cd', 17, 300, 123_456.789);
  const found = tokenIn(`<p>See <a href="https://x">x</a></p>\n<p>${token}</p>`, 'ab12cd');
  test.equal(found?.token, token);
  test.ok(Math.abs(found!.at - 123_456.789) < 0.001);
  test.equal(tokenIn(token, 'ffffff'), undefined);
  test.equal(tokenIn('ld-ab12cd-', 'ab12cd'), undefined);
});
