import t from 'tap';
import { acceptsGzip } from '../../../src/frontend/http/compression.js';

const TAKEN = [
  'gzip',
  'gzip, deflate',
  'gzip, deflate, br, zstd',
  'br;q=1.0, GZIP;q=0.5',
  'x-gzip',
  '*',
  'deflate;q=0.5, *;q=0.1',
  'gzip;q=0.001',
  'gzip;Q=0.5'.toLowerCase(),
  'gzip ; q=1.000 , identity;q=0.9',
  'gzip;q=0.5, identity;q=0.5',
  'identity;q=0, gzip',
  'identity;q=0, *',
];
const NOT_TAKEN = [
  '',
  'identity',
  'deflate, br',
  'gzip;q=0',
  'gzip;q=0.000',
  '*;q=0',
  'gzip;q=0, *',
  'identity, gzip;q=0.5',
  'identity;q=0.8, *;q=0.2',
  'gzip;q=2',
  'gzip;q=',
  'gzip;q=0.5;q=1',
  'gzip;q=0.1234',
  'gzipped',
  ',;,=;q',
];

t.test('gzip is used if the client accepts it and prefers no other encoding', async (t) => {
  for (const header of TAKEN) t.equal(acceptsGzip(header), true, header);
  for (const header of NOT_TAKEN) t.equal(acceptsGzip(header), false, header);
  t.equal(acceptsGzip('gzip'), true, 'again, after others');
});
