import fc from 'fast-check';
import sharp from 'sharp';
import t from 'tap';
import {
  detectPictureFormat,
  makeAvatarPngBySize,
  makeRealmIconPng,
  makeRealmLogoPng,
  withConversionSlotAndPicture,
} from '#domain/pictures';
import { ApiError } from '#model/errors';
import { Gate } from '../../support/gate.js';
import { rounds } from '../../support/rounds.js';

const green = sharp({ create: { width: 30, height: 20, channels: 3, background: 'green' } });

t.test('formats are recognised by their first bytes', async (t) => {
  for (const format of ['png', 'jpeg', 'gif', 'webp'] as const) {
    t.equal(detectPictureFormat(await green.clone().toFormat(format).toBuffer()), format);
  }
  for (const format of ['tiff', 'avif'] as const) {
    t.equal(detectPictureFormat(await green.clone().toFormat(format).toBuffer()), undefined, format);
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 11 }), (bytes) => detectPictureFormat(bytes) !== 'webp'));
});

t.test('any bytes become a picture or are refused', async () => {
  const whole = await Promise.all(
    (['png', 'jpeg', 'gif', 'webp'] as const).map((of) => green.clone().toFormat(of).toBuffer()),
  );
  const damage = fc.tuple(fc.constantFrom(...whole), fc.nat(400), fc.uint8Array({ maxLength: 20 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(damage, async ([bytes, at, noise, cut]) => {
      const broken = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
      broken.set(noise.subarray(0, Math.max(0, broken.length - at)), Math.min(at, broken.length));
      try {
        const { small, medium } = await makeAvatarPngBySize(broken);
        return detectPictureFormat(small) === 'png' && detectPictureFormat(medium) === 'png';
      } catch (error) {
        return error instanceof ApiError && error.code === 'BAD_IMAGE';
      }
    }),
    { numRuns: rounds(50, 150) },
  );
});

t.test('the sizes of pictures are bounded', async (t) => {
  const bytes = await green.clone().png().toBuffer();
  const sizeOf = async (png: Uint8Array): Promise<unknown> => {
    const { width, height } = await sharp(png).metadata();
    return [width, height];
  };
  const { small, medium } = await makeAvatarPngBySize(bytes);
  t.same(
    [
      await sizeOf(small),
      await sizeOf(medium),
      await sizeOf(await makeRealmIconPng(bytes)),
      await sizeOf(await makeRealmLogoPng(bytes)),
    ],
    [
      [100, 100],
      [500, 500],
      [100, 100],
      [30, 20],
    ],
  );
});

t.test('two pictures are decoded at a time, and a failure frees its place', async (t) => {
  const bytes = await green.clone().png().toBuffer();
  let running = 0;
  let most = 0;
  const gate = new Gate();
  const work = (fails: boolean) =>
    withConversionSlotAndPicture(bytes, async () => {
      most = Math.max(most, ++running);
      if (running === 2) gate.open();
      await gate.opened;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (fails) throw new Error('broken');
    }).catch((error: ApiError) => error.reason);
  const results = await Promise.all(Array.from({ length: 10 }, (_, i) => work(i % 2 === 0)));
  t.equal(most, 2);
  t.same(new Set(results), new Set(['IMAGE_UNDECODABLE', undefined]));
  t.equal(await work(false), undefined, 'and there is room again');
});
