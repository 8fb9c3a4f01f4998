/**
 * 1,700 calls whose answers by the peer were recorded, made again on the embedded face. Status, code, message and the
 * form of the body are compared; every difference has a reason in recorded/reasons.ts, or fails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { API_OPERATIONS } from '#frontend/api';
import type { Entry } from './recorded/entry.js';
import { FIXTURES, recordedOrganization } from './recorded/organization.js';
import { reasonFor, unusedReasons } from './recorded/reasons.js';
import { Replay } from './recorded/replay.js';
import { differences, skeletonOf } from './recorded/skeleton.js';
import { startEmbedded } from './support/faces.js';
import { closeIdle } from './support/http.js';
import type { Answer } from './support/types.js';

/** The operation of the call; undefined if no path of the contract matches. */
const routes = API_OPERATIONS.filter(({ root }) => !root).map(({ id, method, path, parameters }) => {
  const pattern = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    parameters[name]?.encoding === 'uint' ? '\\d+' : '[^/]+',
  );
  return { id, method, pattern: new RegExp(`^/api/v1${pattern}$`) };
});

const isServed = ({ op, method, path }: Entry): boolean => {
  const bare = path.split('?')[0]!;
  if (op !== null && API_OPERATIONS.some(({ id }) => id === op)) return true;
  // Without an operation: calls of extra operations, and of paths that do not exist.
  return op === null && routes.some((route) => route.method === method && route.pattern.test(bare));
};

const ours = (text: unknown): string => String(text).replaceAll('Zulip', 'Conclave');

/** The differences, in words; none if the answers agree. */
function compared(replay: Replay, entry: Entry, answer: Answer | undefined): string[] {
  if (!answer) return ['the call waits here'];
  // The peer's 404 are HTML pages.
  const theirs = (typeof entry.body === 'object' && entry.body) || { msg: 'Not Found' };
  const { code, msg } = theirs as { code?: string; msg?: string };
  const there = `${entry.status} ${code} ${entry.status === 200 ? '' : replay.quoted(ours(msg))}`;
  const here = `${answer.status} ${answer.body.code} ${answer.status === 200 ? '' : answer.body.msg}`;
  if (there !== here) return [`there ${there}, here ${here}`];
  if (entry.status !== 200) {
    if (typeof entry.body !== 'object') return [];
    const fields = (body: object): string => Object.keys(body).sort().join();
    return fields(theirs) === fields(answer.body)
      ? []
      : [`fields ${fields(theirs)} there, ${fields(answer.body)} here`];
  }
  // Our answers have service_* beside the peer's names.
  const isAlias = (name: string): boolean =>
    name.startsWith('service_') && name.replace('service_', 'zulip_') in answer.body;
  const body = Object.fromEntries(Object.entries(answer.body).filter(([name]) => !isAlias(name)));
  return differences(entry.body, skeletonOf(body));
}

t.setTimeout(120_000);
// The peer had no image proxy when it was recorded.
const server = await startEmbedded({ options: { 'image-proxy': 'off' } });
try {
  const org = await recordedOrganization(server);
  const replay = new Replay(org);
  for (const file of readdirSync(FIXTURES).filter((name) => /^\d\d_/.test(name))) {
    await t.test(file, async (t) => {
      const entries = JSON.parse(readFileSync(join(FIXTURES, file), 'utf8')) as Entry[];
      let [agree, explained, later] = [0, 0, 0];
      const unexplained: string[] = [];
      for (const entry of entries) {
        if (!isServed(entry)) {
          later++;
          continue;
        }
        const found = compared(replay, entry, await replay.call(entry));
        const left = found.filter((difference) => reasonFor(entry, difference) === undefined);
        if (found.length === 0) agree++;
        else if (left.length === 0) explained++;
        else {
          const { n, op, method, path, role, label, params } = entry;
          unexplained.push(
            `${n} ${op ?? `${method} ${path}`} as ${role} "${label}" ${JSON.stringify(params ?? {}).slice(0, 120)}: ${left.join('; ')}`,
          );
        }
        for (const difference of found)
          if (process.env.API_TEST_LOG) t.comment(`${entry.n} ${difference}: ${reasonFor(entry, difference)}`);
      }
      t.comment(`${agree} agree, ${explained} differ for a reason, ${later} are not served yet`);
      for (const one of unexplained) t.fail(one, { diagnostic: false });
      if (unexplained.length === 0) t.pass('every difference has a reason');
    });
  }
} finally {
  closeIdle();
  await server.close();
}
for (const reason of unusedReasons()) t.comment(`a reason that nothing needs any more: ${reason}`);
