import sharp from 'sharp';
import t from 'tap';
import { detectImageType } from '#frontend/image-proxy';

const made = sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } });

/** File header, then the size of the next header. */
function bmp(header: number): Buffer {
  const bytes = Buffer.alloc(70);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(header, 14);
  return bytes;
}

const box = (brand: string, ...others: string[]): Buffer => {
  const text = `\0\0\0\0ftyp${brand}\0\0\0\0${others.join('')}`;
  const bytes = Buffer.from(text, 'latin1');
  bytes.writeUInt32BE(bytes.length, 0);
  return bytes;
};

t.test('pictures are recognised by their first bytes', async (t) => {
  for (const format of ['png', 'jpeg', 'gif', 'webp', 'avif'] as const) {
    const bytes = await made.clone().toFormat(format).toBuffer();
    t.equal(detectImageType(bytes), `image/${format}`);
    t.equal(detectImageType(bytes.subarray(0, 64)), `image/${format}`, `the head of ${format} is enough`);
  }
  for (const header of [12, 40, 124]) t.equal(detectImageType(bmp(header)), 'image/bmp', `header of ${header} bytes`);
  t.equal(detectImageType(box('mif1', 'miaf', 'avif')), 'image/avif', 'by one of the further brands');
  t.equal(detectImageType(box('avis')), 'image/avif', 'moving pictures');
});

t.test('all other bytes are no picture', async (t) => {
  const others = {
    nothing: '',
    text: 'hello',
    SVG: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'SVG behind its declaration': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>',
    page: '<!doctype html><script>alert(1)</script>',
    PDF: '%PDF-1.4',
    'mark of a GIF in a page': '<html>GIF89a',
    'text that begins like a BMP': 'BM is how this sentence of some length begins.',
  };
  for (const [title, text] of Object.entries(others)) t.equal(detectImageType(Buffer.from(text)), undefined, title);
  for (const brand of ['isom', 'heic', 'qt  ', 'mp42']) t.equal(detectImageType(box(brand)), undefined, brand);
  t.equal(detectImageType(box('mp42', 'isom').subarray(0, 12)), undefined, 'half a box');
  const version = box('mp42');
  version.write('avif', 12, 'latin1');
  t.equal(detectImageType(version), undefined, 'a version number is no brand');
  t.equal(detectImageType(bmp(41)), undefined, 'a BMP of no known version');
});
