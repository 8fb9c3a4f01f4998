/** Embedded server that is killed at moments chosen by SEED, with two users. */
import { Random } from '../../cluster/scheduler.js';
import type { Api } from './api.js';
import type { Embedded } from './face.js';

export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));

export interface CrashTest {
  readonly face: Embedded;
  readonly owner: Api;
  readonly other: Api;
  readonly random: Random;
  /** Stream id by name. */
  readonly streams: ReadonlyMap<string, number>;
}

export async function startCrashTest(face: Embedded, nth: number, streams: readonly string[]): Promise<CrashTest> {
  const [owner, other] = [face.api(), face.api(face.other)];
  for (const api of [owner, other]) await api.subscribe(...streams);
  const all = (await owner.ok('GET', '/streams')).streams as { name: string; stream_id: number }[];
  const ids = new Map(all.map(({ name, stream_id }) => [name, stream_id]));
  return { face, owner, other, random: new Random(seed * 10 + nth), streams: ids };
}

export async function killAndRestart({ face }: CrashTest): Promise<void> {
  await face.server.kill();
  await face.up();
}

export function countEach<K>(of: Iterable<K>): Map<K, number> {
  const found = new Map<K, number>();
  for (const one of of) found.set(one, (found.get(one) ?? 0) + 1);
  return found;
}

/** Descriptions of the expected items that are not found exactly once. */
export const notExactlyOnce = <K>(expected: Iterable<K>, found: Iterable<K>): string[] => {
  const times = countEach(found);
  return [...expected].filter((one) => times.get(one) !== 1).map((one) => `${one}: ${times.get(one) ?? 0} times`);
};
