import t from 'tap';
import type { LinkMessage } from '#ports/wire';
import { KeptBlobs, SentBlobs } from '../../../src/ports/wire/kept-blobs.js';
import { openLinkPair } from '../../support/link-pair.js';

const CHANNEL = 7;

/** A link on which messages are sent one by one, each in a frame of its own. */
async function openWaitingLink() {
  const { main, worker } = await openLinkPair();
  let arrived: (message: LinkMessage) => void = () => {};
  worker.setHandler(CHANNEL, (message) => arrived(message));
  const send = (...message: LinkMessage): Promise<LinkMessage> =>
    new Promise((resolve) => {
      arrived = resolve;
      main.send(CHANNEL, message);
    });
  return { send, close: () => main.close() };
}

t.test('a byte array that is sent again and again arrives as one array, with its bytes', async (t) => {
  const { send, close } = await openWaitingLink();
  const shared = Buffer.alloc(5_000, 'a');
  const received: Uint8Array[] = [];
  for (let i = 0; i < 4; i++) {
    const own = Buffer.alloc(5_000, `${i}`);
    const [first, second, third] = await send(shared as never, own as never, i);
    t.same(Buffer.from(first as never), shared);
    t.same(Buffer.from(second as never), own);
    t.equal(third, i);
    received.push(first as never);
  }
  t.not(received[1], received[2], 'it travelled twice');
  t.equal(received[2], received[3]);
  t.equal(received[3]!.buffer.byteLength, 5_000, 'what is kept holds no frame');
  close();
});

t.test('a message may show a kept array in several places', async (t) => {
  const { send, close } = await openWaitingLink();
  const shared = Buffer.alloc(2_000, 'b');
  for (let i = 0; i < 3; i++) await send(shared as never);
  const [list] = await send([shared, { of: shared }] as never);
  const [first, { of }] = list as never as [Uint8Array, { of: Uint8Array }];
  t.same(Buffer.from(first), shared);
  t.equal(of, first);
  close();
});

t.test('an equal array that is another object is sent with its bytes', async (t) => {
  const sent = new SentBlobs();
  for (let i = 0; i < 4; i++) t.equal(sent.refOf(Buffer.alloc(2_000, 'c')), undefined);
  t.equal(sent.takeChanges(), undefined);
});

t.test('small arrays are never kept', async (t) => {
  const sent = new SentBlobs();
  const small = new Uint8Array(200);
  for (let i = 0; i < 4; i++) t.equal(sent.refOf(small), undefined);
  t.equal(sent.takeChanges(), undefined);
});

t.test('beyond the limit, the array that was unused for longest is forgotten, and sent again', async (t) => {
  const sent = new SentBlobs(5_000);
  const kept = new KeptBlobs();
  const [a, b, c] = ['a', 'b', 'c'].map((of) => Buffer.alloc(2_000, of)) as [Buffer, Buffer, Buffer];
  const send = (bytes: Uint8Array): Uint8Array => {
    const ref = sent.refOf(bytes);
    const found = ref ? kept.get(ref.number) : bytes;
    const changes = sent.takeChanges();
    if (changes) kept.apply(changes);
    return found;
  };
  for (const bytes of [a, a, b, b]) t.equal(send(bytes), bytes);
  t.not(send(a), a);
  for (const bytes of [c, c]) t.equal(send(bytes), bytes);
  t.not(send(a), a, 'used later than b');
  t.same(Buffer.from(send(c)), c);
  t.equal(send(b), b);
  t.same(Buffer.from(send(b)), b);
});
