import t from 'tap';
import { hostile, hostileAtNewestLevel } from './suite/every-operation/hostile.js';
import { complaints, services, startCluster, startEmbedded, type TestServer } from './support/faces.js';
import { closeIdle } from './support/http.js';

/** Far above the usual time: some thousand requests on each face. */
t.setTimeout(600_000);

async function face(title: string, start: () => Promise<TestServer>): Promise<void> {
  const server = await start();
  try {
    await t.test(title, (t) => hostile(t, server));
    await t.test(`${title}, newest API level`, (t) => hostileAtNewestLevel(t, server));
    t.same(
      complaints.filter((text) => text.includes('unhandled exception') || text.includes('crash')),
      [],
      'no request met an unhandled exception',
    );
  } finally {
    closeIdle();
    await server.close();
  }
}

await face('hostile input, embedded face', () => startEmbedded());
const of = services(t);
if (of) await face('hostile input, cluster', () => startCluster(of));
