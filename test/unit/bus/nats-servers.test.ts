import t from 'tap';
import { formatNatsServersForLog, parseNatsServers } from '#ports/nats';

t.test('addresses of NATS servers are read with and without an account', async (test) => {
  test.strictSame(parseNatsServers('nats://a:4222'), { servers: ['nats://a:4222'] });
  test.strictSame(parseNatsServers('nats://ann:pass@a:4222'), {
    servers: ['nats://a:4222'],
    user: 'ann',
    pass: 'pass',
  });
  test.strictSame(parseNatsServers('nats://a,tls://ann:p%40s:s@b:1,nats://bob:x@c'), {
    servers: ['nats://a', 'tls://b:1', 'nats://c'],
    user: 'ann',
    pass: 'p@s:s',
  });
  test.strictSame(parseNatsServers('nats://ann@a'), { servers: ['nats://a'], user: 'ann', pass: '' });
});

t.test('the display name of a server has no password', async (test) => {
  test.equal(formatNatsServersForLog('nats://ann:secret@a:4222,nats://b'), 'nats://a:4222,nats://b');
  test.equal(formatNatsServersForLog('nats://127.0.0.1:4222'), 'nats://127.0.0.1:4222');
});
