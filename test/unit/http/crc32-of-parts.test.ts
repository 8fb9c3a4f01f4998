import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { PartChecksum } from '../../../src/frontend/http/crc32-of-parts.js';

t.test('the checksum of parts equals that of the whole', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), (parts) => {
      const crc = parts.reduce((before, part) => new PartChecksum(crc32(part), part.length).appendTo(before), 0);
      return crc === crc32(Buffer.concat(parts));
    }),
  );
  const large = [randomBytes(5_000_001), randomBytes(1), randomBytes(3_000_000)];
  const crc = large.reduce((before, part) => new PartChecksum(crc32(part), part.length).appendTo(before), 0);
  t.equal(crc, crc32(Buffer.concat(large)));
});
