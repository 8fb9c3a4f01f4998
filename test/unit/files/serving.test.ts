import fc from 'fast-check';
import t from 'tap';
import {
  contentTypeOfUploadedFile,
  makeFileResponseHeaders,
  parseSatisfiableByteRange,
  planRangeResponse,
} from '#domain/files';
import { ANY_CODE_POINT } from '../../support/any-text.js';

t.test('any requested range is within the file', async () => {
  const part = fc.oneof(fc.constant(''), fc.nat(50).map(String), fc.constant('99999999999999999999'));
  fc.assert(
    fc.property(part, part, fc.nat(30), (first, last, size) => {
      const range = parseSatisfiableByteRange(`bytes=${first}-${last}`, size);
      if (range === undefined) return first === '' ? last === '' : last !== '' && Number(last) < Number(first);
      if (range === 'unsatisfiable') return first === '' ? size === 0 || Number(last) === 0 : Number(first) >= size;
      return 0 <= range.start && range.start < range.end && range.end <= size;
    }),
  );
  fc.assert(fc.property(fc.string(), fc.nat(9), (text, size) => parseSatisfiableByteRange(text, size) === undefined));
});

t.test('an empty file has no parts', async (t) => {
  const asked = { range: 'bytes=0-', ifRange: '', ifNoneMatch: '' };
  t.match(planRangeResponse(0, 'x', asked), { status: 416, headers: { 'Content-Range': 'bytes */0' } });
  t.match(planRangeResponse(0, 'x', { ...asked, range: '' }), { status: 200, start: 0, end: 0 });
});

t.test('the type of a file follows from the extension of its name where its uploader tells none', async (t) => {
  const untold = (name: string) => contentTypeOfUploadedFile('', name);
  t.strictSame(['a.png', 'b c.JPeG', 'x.tar.gz'].map(untold), ['image/png', 'image/jpeg', 'application/gzip']);
  for (const name of ['png', '.png', 'x.', 'x.nosuch', '']) t.equal(untold(name), 'application/octet-stream', name);
  for (const type of ['text/plain; charset=utf-8', 'application/octet-stream', 'IMAGE/jpg', 'nonsense'])
    t.equal(contentTypeOfUploadedFile(type, 'a.png'), 'image/png', type);
  for (const name of ['x', 'x.bin']) t.equal(contentTypeOfUploadedFile('text/plain', name), 'text/plain', name);
  t.equal(contentTypeOfUploadedFile('text/html', 'a.png'), 'text/html');
});

t.test('no type or name can end a header or add to it', async () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT }), fc.string({ unit: 'grapheme' }), (type, name) => {
      const headers = makeFileResponseHeaders({
        name,
        type: contentTypeOfUploadedFile(type, name),
        tag: 't',
        download: false,
        caching: 'private',
      });
      return (
        Object.values(headers).every((value) => /^[\x20-\x7e]*$/.test(value)) &&
        headers['Content-Disposition']!.split('"').length === 3
      );
    }),
  );
});
