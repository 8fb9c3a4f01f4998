/** Client end of the admin channel, which the command line uses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { RunningServerActorCaller } from '#app/admin';
import { realmActorKey, toRealmId } from '#model';
import { FakeClock } from '../../support/fake-clock.js';

/** Connects to a server that accepts connections and never answers, like a process that hangs. */
async function connectToHangingServer(t: Test, clock: FakeClock): Promise<RunningServerActorCaller> {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-channel-'));
  const server = createServer();
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
