/**
 * The API suite once more, with every caller at the newest API level: what level 184 does holds there too, except for
 * the facts of `suite/levels/base-level-facts.ts`. Each answer and event is checked by what today's client reads.
 * `npm test` runs the families that the seed picks, the long form all.
 */
import t, { type Test } from 'tap';
import { LONG, picked } from '../support/rounds.js';
import { NAMED_FAMILIES, runSuite } from './run.js';
import type { Facts } from './suite/facts.js';
import { SUITE } from './suite/index.js';
import { BASE_LEVEL_FACTS, type FactsByChange } from './suite/levels/base-level-facts.js';
import { startEmbedded, type TestServer } from './support/faces.js';
import { NEWEST_API_LEVEL } from './support/levels.js';

/** Share of the families that a run takes. */
const SHARE = 1 / 16;

/** The same server, whose callers are at the newest level. */
const atNewestLevel = (server: TestServer): TestServer =>
  new Proxy(server, {
    get(of, name) {
      if (name === 'level') return NEWEST_API_LEVEL;
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });

/** A test that leaves these facts out. */
function leaveOut(t: Test, facts: ReadonlySet<string>, met: Set<string>): Test {
  const test = t.test.bind(t) as (title: string, ...rest: readonly unknown[]) => unknown;
  return new Proxy(t, {
    get(of, name) {
      if (name !== 'test') {
        const value: unknown = Reflect.get(of, name, of);
        return typeof value === 'function' ? value.bind(of) : value;
      }
      return (title: string, ...rest: readonly unknown[]) => {
        if (!facts.has(title)) return test(title, ...rest);
        met.add(title);
        return Promise.resolve();
      };
    },
  });
}

function exceptionsOf(family: string): Exclude<FactsByChange, 'all'> {
  const of = BASE_LEVEL_FACTS[family];
  return of === undefined || of === 'all' ? {} : of;
}

const withoutBaseLevelFacts = (family: string, facts: Facts): Facts => {
  const exceptions = new Set(Object.values(exceptionsOf(family)).flat());
  return async (t: Test, server: TestServer): Promise<void> => {
    const met = new Set<string>();
    await facts(leaveOut(t, exceptions, met), atNewestLevel(server));
    t.same(
      [...exceptions].filter((title) => !met.has(title)),
      [],
      'all exceptions are facts of the family',
    );
  };
};

const families = Object.keys(SUITE).filter((family) => BASE_LEVEL_FACTS[family] !== 'all');
const chosen =
  LONG || NAMED_FAMILIES ? families : picked(families, families.length * SHARE, (family) => `newest level ${family}`);
t.same(
  Object.keys(BASE_LEVEL_FACTS).filter((family) => !(family in SUITE)),
  [],
  'the exceptions name families of the suite',
);
await runSuite('embedded face, newest API level', () => startEmbedded(), chosen, withoutBaseLevelFacts);
