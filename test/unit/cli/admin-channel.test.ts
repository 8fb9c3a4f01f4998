/** Both ends of the admin channel. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { AdminChannelServer, RunningServerActorCaller, SystemActorCaller } from '#app/admin';
import { realmActorKey, toRealmId } from '#model';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

/**
 * Connects to a server that accepts connections and never answers, like a process that hangs.
 * @param onConnection receives the server's end of each connection
 */
async function connectToHangingServer(
  t: Test,
  clock: FakeClock,
  onConnection: (socket: Socket) => void = () => undefined,
): Promise<RunningServerActorCaller> {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-channel-'));
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(join(folder, 'admin.sock'), resolve));
  t.teardown(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return (await RunningServerActorCaller.connectIfServerListens(folder, clock))!;
}

for (const [title, seconds, ask] of [
  ['a comparison of secrets', 10, (server) => server.hasSameSecret('x')],
  ['a backup', 10, (server) => server.requestBackup('/x')],
  ['a command', 30, (server) => server.sendForReply(realmActorKey(toRealmId(1)), 'x', {})],
] as const satisfies readonly (readonly [string, number, (server: RunningServerActorCaller) => Promise<unknown>])[])
  t.test(`${title} ends after ${seconds} s if the running server hangs`, async (t) => {
    const clock = new FakeClock();
    const reply: Promise<unknown> = ask(await connectToHangingServer(t, clock));
    clock.advance(seconds * 1_000);
    await t.rejects(reply, { name: 'AdminError', message: `the running server has not answered for ${seconds} s` });
  });

t.test('all requests end at once when the running server stops, and so do later ones', async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const sockets: Socket[] = [];
  const caller = await connectToHangingServer(t, new FakeClock(), (socket) => sockets.push(socket));
  const send = (): Promise<unknown> => caller.sendForReply(realmActorKey(toRealmId(1)), 'x', {});
  const stopped = { name: 'AdminError', message: 'the server stopped; run the same command again' };
  const waiting = Array.from({ length: 12 }, send);
  const refused = waiting.map((reply) => t.rejects(reply, stopped));
  await until('the server has the connection', () => sockets.length > 0);
  for (const socket of sockets) socket.destroy();
  await Promise.all(refused);
  await t.rejects(send(), stopped);
  t.strictSame(warnings, []);
});

t.test('a server that is killed in the middle of a reply has stopped', async (t) => {
  const caller = await connectToHangingServer(t, new FakeClock(), (socket) => socket.end('{"value":[1,'));
  const reply = caller.sendForReply(realmActorKey(toRealmId(1)), 'x', {});
  await t.rejects(reply, { message: 'the server stopped; run the same command again' });
});

t.test('a request to a server that has just stopped is refused without an uncaught error', async (t) => {
  const sockets: Socket[] = [];
  const caller = await connectToHangingServer(t, new FakeClock(), (socket) => sockets.push(socket.pause()));
  await until('the server has the connection', () => sockets.length > 0);
  for (const socket of sockets) socket.destroy();
  // The client has not seen the end of the connection yet: its write fails.
  await t.rejects(caller.hasSameSecret('x'), { message: 'the server stopped; run the same command again' });
});

/** Answers a command after it has killed the client. */
class KillingCaller extends SystemActorCaller {
  client: Socket | undefined;

  async sendForReply() {
    this.client?.destroy();
    return { value: true };
  }

  async close(): Promise<void> {}
}

t.test('a server outlives a command that is killed before its reply', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-channel-'));
  const caller = new KillingCaller();
  const server = await AdminChannelServer.open(folder, caller, 'check');
  t.teardown(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  caller.client = connect(join(folder, 'admin.sock'));
  caller.client.write(`${JSON.stringify({ to: 'x', name: 'x', args: {} })}\n`);
  await once(caller.client, 'close');
  const next = (await RunningServerActorCaller.connectIfServerListens(folder, new FakeClock()))!;
  t.equal(await next.hasSameSecret('check'), true);
  await next.close();
});
