import t from 'tap';
import { parseNetworks, Reachable } from '../../../src/webhooks/index.js';

/** Loopback, private and special addresses, in all the ways in which they can be written. */
const CLOSED = [
  '127.0.0.1',
  '127.255.0.9',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:10.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fd00::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '',
  'localhost',
  '127.1',
  '0x7f000001',
];

t.test('only the public Internet is reached', async (t) => {
  const reachable = new Reachable('');
  for (const address of CLOSED) t.notOk(reachable.has(address), address);
  for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8']) t.ok(reachable.has(address), address);
});

t.test('what is allowed is reached, however it is written, and nothing beside it', async (t) => {
  const reachable = new Reachable('10.1.0.0/16, ::1');
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::1']) t.ok(reachable.has(address), address);
  for (const address of ['10.2.0.1', '127.0.0.1', '::ffff:127.0.0.1']) t.notOk(reachable.has(address), address);
  for (const wrong of ['10.0.0.0/33', '10.0.0.0/', 'localhost', '10.0.0.0/8/8', '10.0.0.0/-1']) {
    t.throws(() => parseNetworks(wrong), wrong);
  }
});
