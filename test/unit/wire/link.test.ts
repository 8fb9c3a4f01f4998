import t from 'tap';
import type { ProcessLink } from '#ports/wire';
import { openLinkPair } from '../../support/link-pair.js';

const CHANNEL = 7;
const SIZES = [0, 1, 127, 128, 4_000, 65_535, 65_536, 300_000, 3, 70_000];

/** Bytes that tell the message and the place in it. */
const bytesOf = (n: number, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => (n * 31 + i) % 251);

function sendAll(from: ProcessLink, to: ProcessLink, oneFrameEach: boolean): Promise<[number, Uint8Array][]> {
  return new Promise((resolve) => {
    const received: [number, Uint8Array][] = [];
    to.setHandler(CHANNEL, ([n, bytes]) => {
      received.push([n as number, bytes as never]);
      if (received.length === SIZES.length) resolve(received);
    });
    SIZES.forEach((size, n) => {
      from.send(CHANNEL, [n, bytesOf(n, size) as never]);
      if (oneFrameEach) from.flush();
    });
  });
}

for (const oneFrameEach of [true, false]) {
  t.test(
    `messages of any size keep their bytes and order, ${oneFrameEach ? 'a frame each' : 'in one frame'}`,
    async (t) => {
      const { main, worker } = await openLinkPair();
      for (const received of [await sendAll(main, worker, oneFrameEach), await sendAll(worker, main, oneFrameEach)]) {
        // Compared when all have arrived: memory that is read into again must not be theirs.
        received.forEach(([n, bytes], i) => {
          t.equal(n, i);
          t.equal(Buffer.compare(bytes, bytesOf(i, SIZES[i]!)), 0, `${SIZES[i]} bytes`);
        });
      }
      main.close();
    },
  );
}
