/** Runs the suite against one face. */
import t from 'tap';
import { closeIdle, complaints, coverageTable, type TestServer } from './harness.js';
import { SUITE } from './suite/index.js';

/** API_TEST_ONLY picks families whose title contains it. */
export const ONLY = process.env.API_TEST_ONLY ?? '';

export async function runSuite(title: string, start: () => Promise<TestServer>): Promise<void> {
  // Far above what it takes; run without the runner, tap's own 30 s would cut a slow machine off.
  t.setTimeout(400_000);
  const server = await start();
  try {
    const families = Object.entries(SUITE).filter(([family]) => family.includes(ONLY));
    t.not(families.length, 0, 'there are such families');
    for (const [family, facts] of families) await t.test(family, (t) => facts(t, server));
    const crashes = complaints.filter((text) => text.includes('unhandled exception') || text.includes('crash'));
    t.same(crashes, [], 'no request met an unhandled exception');
  } finally {
    closeIdle();
    await server.close();
  }
  t.comment(coverageTable(title));
}
