/** Runs the suite against one face. */
import t from 'tap';
import { shard } from './shard.js';
import type { Facts } from './suite/facts.js';
import { SUITE } from './suite/index.js';
import { coverageTable } from './support/coverage.js';
import { complaints, type TestServer } from './support/faces.js';
import { closeIdle } from './support/http.js';

/** API_TEST_ONLY selects the families whose title contains it. */
const ONLY = process.env.API_TEST_ONLY ?? '';

/** True if the run names its families (API_TEST_ONLY, `--grep`): no seed then leaves one of them out. */
export const NAMED_FAMILIES = ONLY !== '' || process.env.TAP_GREP !== undefined;

/**
 * @param only families that count there; default all
 * @param factsOf facts of a family, where they differ from those of the suite
 */
export async function runSuite(
  title: string,
  start: () => Promise<TestServer>,
  only: readonly string[] = Object.keys(SUITE),
  factsOf: (family: string, facts: Facts) => Facts = (_family, facts) => facts,
): Promise<void> {
  // Far above the usual time, even on a machine a third as fast.
  t.setTimeout(900_000);
  const server = await start();
  try {
    t.same(
      only.filter((family) => !(family in SUITE)),
      [],
      'there are such families',
    );
    const families = shard(Object.entries(SUITE).filter(([family]) => family.includes(ONLY) && only.includes(family)));
    t.not(families.length, 0, 'some were picked');
    const costs: string[] = [];
    for (const [family, facts] of families) {
      const [before, start] = [process.cpuUsage(), performance.now()];
      await t.test(family, (t) => factsOf(family, facts)(t, server));
      const { user, system } = process.cpuUsage(before);
      costs.push(
        `${((user + system) / 1e6).toFixed(1)} s CPU, ${((performance.now() - start) / 1e3).toFixed(1)} s: ${family}`,
      );
    }
    t.comment(['cost of each family', ...costs].join('\n'));
    const crashes = complaints.filter((text) => text.includes('unhandled exception') || text.includes('crash'));
    t.same(crashes, [], 'no request met an unhandled exception');
  } finally {
    closeIdle();
    await server.close();
  }
  t.comment(coverageTable(title));
}
