/** Thumbnails are made once, few at a time, and cached within bounds. */
import sharp from 'sharp';
import t from 'tap';
import { THUMBNAIL_FORMATS } from '#domain/pictures';
import { DEFAULT_THUMBNAIL_LIMITS, Thumbnails } from '#frontend/thumbnails';

const [FORMAT] = THUMBNAIL_FORMATS as [(typeof THUMBNAIL_FORMATS)[number]];

const picture = await sharp({
  create: {
    width: 300,
    height: 200,
    channels: 3,
    background: 'red',
    noise: { type: 'gaussian', mean: 128, sigma: 30 },
  },
})
  .png()
  .toBuffer();

/** A file that counts how often and how many at a time it is read; a read ends with `finish`. */
class File {
  reads = 0;
  #waiting: (() => void)[] = [];

  constructor(
    readonly path: string,
    readonly bytes: Uint8Array = picture,
    readonly sizeBytes: number = bytes.byteLength,
  ) {}

  readonly read = (): Promise<Uint8Array> => {
    this.reads++;
    return new Promise((resolve) => this.#waiting.push(() => resolve(this.bytes)));
  };

  finish(): void {
    for (const end of this.#waiting.splice(0)) end();
  }
}

const readAtOnce = (path: string, bytes: Uint8Array = picture) => ({
  path,
  sizeBytes: bytes.byteLength,
  reads: 0,
  async read() {
    this.reads++;
    return bytes;
  },
});

t.test('requests for one thumbnail share its making, and later ones get it from the cache', async (t) => {
  const thumbnails = new Thumbnails();
  const file = readAtOnce('a');
  const made = await Promise.all([thumbnails.getOrMake(file, FORMAT), thumbnails.getOrMake(file, FORMAT)]);
  t.ok(made[0]);
  t.equal(made[1], made[0]);
  t.equal(await thumbnails.getOrMake(file, FORMAT), made[0]);
  t.equal(file.reads, 1);
});

t.test('a file without a thumbnail is not read again; a read that fails is', async (t) => {
  const thumbnails = new Thumbnails();
  const file = readAtOnce('a', Buffer.from('no picture'));
  t.equal(await thumbnails.getOrMake(file, FORMAT), undefined);
  t.equal(await thumbnails.getOrMake(file, FORMAT), undefined);
  t.equal(file.reads, 1);
  const gone = { path: 'b', sizeBytes: 1, read: () => Promise.reject(new Error('gone')) };
  await t.rejects(thumbnails.getOrMake(gone, FORMAT), { message: 'gone' });
  t.ok(await thumbnails.getOrMake(readAtOnce('b'), FORMAT));
});

t.test('few files are in memory at a time, and a request behind too many gets the picture itself', async (t) => {
  const thumbnails = new Thumbnails({ ...DEFAULT_THUMBNAIL_LIMITS, maxConcurrent: 2, maxInProgress: 3 });
  const files = ['a', 'b', 'c'].map((path) => new File(path));
  const [first, second, third] = files as [File, File, File];
  const made = files.map((file) => thumbnails.getOrMake(file, FORMAT));
  t.same(
    files.map(({ reads }) => reads),
    [1, 1, 0],
  );
  const late = new File('d');
  t.equal(await thumbnails.getOrMake(late, FORMAT), undefined);
  t.equal(late.reads, 0);
  first.finish();
  t.ok(await made[0]);
  t.equal(third.reads, 1);
  for (const file of [second, third]) file.finish();
  for (const thumbnail of await Promise.all(made)) t.ok(thumbnail);
  t.ok(await thumbnails.getOrMake(readAtOnce('d'), FORMAT), 'the next request has it made');
});

t.test('a file that is too large is not read', async (t) => {
  const file = new File('a', picture, DEFAULT_THUMBNAIL_LIMITS.maxFileBytes + 1);
  t.equal(await new Thumbnails().getOrMake(file, FORMAT), undefined);
  t.equal(file.reads, 0);
});

t.test('the cache drops thumbnails that were not asked for lately, by bytes and by number', async (t) => {
  const size = (await new Thumbnails().getOrMake(readAtOnce('a'), FORMAT))!.bytes.byteLength;
  for (const limits of [{ maxCachedBytes: 2 * size }, { maxCachedFiles: 2 }]) {
    const thumbnails = new Thumbnails({ ...DEFAULT_THUMBNAIL_LIMITS, ...limits });
    const files = ['a', 'b', 'c'].map((path) => readAtOnce(path));
    const [first, second, third] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0]];
    for (const file of [first, second, first, third, first, third, second]) await thumbnails.getOrMake(file, FORMAT);
    t.same(
      files.map(({ reads }) => reads),
      [1, 2, 1],
      JSON.stringify(limits),
    );
  }
});
