/**
 * Preloaded by the runner: facts that hold are counted and not written. tap writes a line for each,
 * and each subtest around it parses the line again: 0.1 ms of CPU for each of 120,000 facts. The first fact of a
 * subtest and every fact that fails, is skipped or comes too late go to tap. The program writes the number at its end.
 * `TEST_EVERY_FACT=1` (`--verbose`) leaves everything to tap.
 */
import { TestBase } from '@tapjs/core';
import { COUNTED_MARK } from './facts.js';

type Assertion = (...args: unknown[]) => boolean;

/** Key of the assertion that is running: stack traces of failures begin at its caller. */
const CURRENT = Symbol('the assertion under way');
interface WithAssertion {
  [CURRENT]?: unknown;
}

/** True for an assertion that has only a title: tap would write nothing else of it. */
function isPlain([title, extra]: readonly unknown[]): boolean {
  if (typeof title === 'object') return false;
  for (const _ in extra as object) return false;
  return true;
}

function countFacts(): void {
  let counted = 0;
  const { pass } = TestBase.prototype;
  // tap forgets the assertion under way when it writes a fact.
  Object.defineProperty(TestBase.prototype, 'currentAssert', {
    configurable: true,
    get(this: WithAssertion) {
      const assertion = this[CURRENT];
      this[CURRENT] = undefined;
      return assertion;
    },
    set(this: WithAssertion, assertion: unknown) {
      if (typeof assertion === 'function') this[CURRENT] ??= assertion;
    },
  });
  TestBase.prototype.pass = function (this: TestBase & WithAssertion, ...args): boolean {
    if (this.count === 0 || this.ended || !isPlain(args)) return (pass as Assertion).apply(this, args);
    this[CURRENT] = undefined;
    counted++;
    return true;
  };
  process.on('exit', () => process.stdout.write(`# ${COUNTED_MARK}${counted}\n`));
}

if (process.env.TEST_EVERY_FACT !== '1') countFacts();
