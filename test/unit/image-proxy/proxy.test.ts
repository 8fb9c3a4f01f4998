import t from 'tap';
import {
  DEFAULT_IMAGE_PROXY_LIMITS,
  type FetchedImage,
  ImageFetchError,
  type ImageFetchFailureReason,
  ImageProxy,
  type ImageProxyLimits,
} from '#frontend/image-proxy';
import { FakeClock, settle } from '../../support/fake-clock.js';

interface Fetch {
  readonly address: string;
  readonly answer: (image: FetchedImage) => void;
  readonly fail: (error: Error) => void;
}

/** A fetcher whose fetches the test ends. */
class Fetcher {
  readonly fetches: Fetch[] = [];

  fetch(address: string): Promise<FetchedImage> {
    return new Promise((answer, fail) => this.fetches.push({ address, answer, fail }));
  }

  get addresses(): string[] {
    return this.fetches.map(({ address }) => address);
  }
}

function proxy(limits: Partial<ImageProxyLimits> = {}) {
  const clock = new FakeClock();
  const fetcher = new Fetcher();
  return { clock, fetcher, proxy: new ImageProxy(clock, 'key', fetcher, { ...DEFAULT_IMAGE_PROXY_LIMITS, ...limits }) };
}

const no = (fault: ImageFetchFailureReason) => ({ name: 'ImageFetchError', fault });
const image = (size: number): FetchedImage => ({ type: 'image/png', bytes: new Uint8Array(size) });

t.test('concurrent readers share a fetch, and readers within 5 minutes its picture', async (t) => {
  const { clock, fetcher, proxy: of } = proxy();
  const both = [of.getOrFetchImage('a'), of.getOrFetchImage('a')];
  t.same(fetcher.addresses, ['a']);
  fetcher.fetches[0]!.answer(image(3));
  const [one, other] = await Promise.all(both);
  t.equal(one, other);
  t.same({ ...one, tag: '' }, { ...image(3), tag: '' });
  clock.advance(5 * 60_000 - 1);
  t.equal((await of.getOrFetchImage('a')).tag, one!.tag);
  t.same(fetcher.addresses, ['a']);
  clock.advance(1);
  const later = of.getOrFetchImage('a');
  t.same(fetcher.addresses, ['a', 'a']);
  fetcher.fetches[1]!.answer(image(4));
  t.not((await later).tag, one!.tag, 'another picture has another tag');
});

t.test('a failed fetch is not repeated for 30 seconds; a fetch without capacity is', async (t) => {
  const { clock, fetcher, proxy: of } = proxy();
  const first = of.getOrFetchImage('a');
  fetcher.fetches[0]!.fail(new ImageFetchError('too-slow'));
  await t.rejects(first, no('too-slow'));
  clock.advance(29_999);
  await t.rejects(of.getOrFetchImage('a'), no('too-slow'));
  t.same(fetcher.addresses, ['a']);
  clock.advance(1);
  const second = of.getOrFetchImage('a');
  fetcher.fetches[1]!.fail(new ImageFetchError('busy'));
  await t.rejects(second, no('busy'));
  const third = of.getOrFetchImage('a');
  fetcher.fetches[2]!.answer(image(1));
  await third;
  t.same(fetcher.addresses, ['a', 'a', 'a']);
});

t.test('the number of concurrent fetches is limited; others wait in turn, within limits', async (t) => {
  const { clock, fetcher, proxy: of } = proxy({ maxConcurrentFetches: 2, maxWaitingFetches: 2 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((address) => of.getOrFetchImage(address));
  await t.rejects(of.getOrFetchImage('e'), no('busy'), 'more than wait');
  t.same(fetcher.addresses, ['a', 'b']);
  fetcher.fetches[0]!.answer(image(1));
  await a;
  const late = of.getOrFetchImage('f');
  await settle();
  t.same(fetcher.addresses, ['a', 'b', 'c'], 'who came first goes first');
  fetcher.fetches[1]!.fail(new ImageFetchError('gone'));
  await t.rejects(b!, no('gone'));
  await settle();
  t.same(fetcher.addresses, ['a', 'b', 'c', 'd'], 'a failure makes room too');
  clock.advance(10_000);
  await t.rejects(late, no('busy'), 'nobody waits longer than 10 seconds');
  fetcher.fetches[2]!.answer(image(1));
  fetcher.fetches[3]!.answer(image(1));
  await Promise.all([c, d]);
  const again = of.getOrFetchImage('f');
  t.same(fetcher.addresses, ['a', 'b', 'c', 'd', 'f'], 'what waited in vain took no place');
  fetcher.fetches[4]!.answer(image(1));
  await again;
  t.equal(clock.next(), undefined, 'no timer is left');
});

t.test('a host that does not answer holds up no pictures of other hosts', async (t) => {
  const { clock, fetcher, proxy: of } = proxy();
  const hanging = Array.from({ length: 272 }, (_, i) => of.getOrFetchImage(`http://hangs.example/${i}.png`));
  const ends = Promise.allSettled(hanging);
  t.equal(fetcher.fetches.length, 16, 'of one host alone at a time');
  await t.rejects(hanging[266]!, no('busy'), 'no more than 250 wait');
  const good = of.getOrFetchImage('http://good.example/a.png');
  t.equal(fetcher.fetches.length, 17);
  fetcher.fetches[16]!.answer(image(1));
  await good;
  t.equal(fetcher.fetches.length, 17, 'its slot goes to no further picture of the full host');
  for (const { fail } of fetcher.fetches.slice(0, 2)) fail(new ImageFetchError('too-slow'));
  await settle();
  t.equal(fetcher.fetches.length, 19);
  for (const { fail } of fetcher.fetches.slice(2)) fail(new ImageFetchError('too-slow'));
  const faults = (await ends).map((end) => (end.status === 'rejected' ? (end.reason as ImageFetchError).fault : ''));
  t.same(faults, [...Array(266).fill('too-slow'), ...Array(6).fill('busy')], 'the waiting ones fail with the third');
  const later = ['a', 'b', 'c'].map((name) => of.getOrFetchImage(`http://hangs.example/${name}.png`));
  t.equal(fetcher.fetches.length, 20, 'the host is asked for one picture at a time');
  fetcher.fetches[19]!.answer(image(1));
  await later[0];
  await settle();
  t.equal(fetcher.fetches.length, 22, 'until it answers');
  for (const { answer } of fetcher.fetches.slice(20)) answer(image(1));
  await Promise.all(later);
  t.equal(clock.next(), undefined, 'no timer is left');
});

t.test('100 pictures of one host come at once; a few slow ones do not make the next ones fail', async (t) => {
  const { fetcher, proxy: of } = proxy();
  const get = (name: string): Promise<FetchedImage> => of.getOrFetchImage(`http://shared.example/${name}.png`);
  const many = Array.from({ length: 100 }, (_, i) => get(`${i}`));
  for (let next = 0; next < 100; next++) {
    fetcher.fetches[next]!.answer(image(1));
    await settle();
  }
  t.equal((await Promise.all(many)).length, 100);
  const slow = ['x', 'y', 'z'].map(get);
  for (const { fail } of fetcher.fetches.slice(100)) fail(new ImageFetchError('too-slow'));
  for (const one of slow) await t.rejects(one, no('too-slow'));
  const good = get('good');
  fetcher.fetches[103]!.answer(image(1));
  t.equal((await good).bytes.length, 1);
});

t.test('a host gets half of the slots that other hosts leave', async (t) => {
  const { fetcher, proxy: of } = proxy({ maxConcurrentFetches: 8 });
  const all = ['a', 'b', 'c', 'd'].flatMap((host) =>
    Array.from({ length: 5 }, (_, i) => of.getOrFetchImage(`http://${host}.example/${i}`)),
  );
  const hosts = fetcher.addresses.map((address) => address[7]);
  t.same(hosts.join(''), 'aaaabbcd');
  for (let next = 0; next < all.length; next++) {
    fetcher.fetches[next]!.answer(image(1));
    await settle();
  }
  await Promise.all(all);
});

t.test('several hosts that do not answer hold up no pictures of other hosts', async (t) => {
  const { fetcher, proxy: of } = proxy();
  const slow = ['a', 'b', 'c', 'd', 'e'].flatMap((host) =>
    Array.from({ length: 40 }, (_, i) => of.getOrFetchImage(`http://${host}.slow.example/${i}`)),
  );
  const ends = Promise.allSettled(slow);
  const held = fetcher.fetches.length;
  t.equal(held, 27, '16 fetches of the first host, 8 of the second, one of each further host');
  const good = ['x', 'y', 'z'].map((host) => of.getOrFetchImage(`http://${host}.good.example/picture.png`));
  t.equal(fetcher.fetches.length, held + 3, 'the pictures of three other hosts do not wait');
  for (const { answer } of fetcher.fetches.slice(held)) answer(image(1));
  await Promise.all(good);
  for (let next = 0; next < fetcher.fetches.length; next++) {
    fetcher.fetches[next]!.fail(new ImageFetchError('too-slow'));
    await settle();
  }
  await ends;
});

t.test('the oldest pictures and failures are evicted first', async (t) => {
  const { fetcher, proxy: of } = proxy({ maxCachedBytes: 10, maxCachedFailures: 2 });
  const get = async (address: string, size: number): Promise<void> => {
    const asked = of.getOrFetchImage(address);
    fetcher.fetches.find((fetch) => fetch.address === address)?.answer(image(size));
    await asked;
    fetcher.fetches.length = 0;
  };
  const isKept = async (address: string): Promise<boolean> => {
    const asked = of.getOrFetchImage(address);
    const kept = fetcher.fetches.length === 0;
    fetcher.fetches[0]?.fail(new ImageFetchError('busy'));
    await asked.catch(() => undefined);
    fetcher.fetches.length = 0;
    return kept;
  };
  await get('a', 4);
  await get('b', 6);
  t.same([await isKept('a'), await isKept('b')], [true, true]);
  await get('c', 1);
  t.same([await isKept('a'), await isKept('b'), await isKept('c')], [false, true, true]);
  await get('d', 11);
  t.same(
    [await isKept('b'), await isKept('c'), await isKept('d')],
    [false, false, false],
    'what is too large by itself',
  );
  for (const address of ['x', 'y', 'z']) {
    const asked = of.getOrFetchImage(address);
    fetcher.fetches[0]!.fail(new ImageFetchError('gone'));
    await asked.catch(() => undefined);
    fetcher.fetches.length = 0;
  }
  t.same([await isKept('x'), await isKept('y'), await isKept('z')], [false, true, true]);
});
