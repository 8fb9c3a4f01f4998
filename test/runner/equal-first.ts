/**
 * Preloaded by the runner: tcompare writes both values as text to learn whether they are equal, a
 * twentieth of the CPU of the API suite. Values that Node finds deeply equal are left out: its comparison is the
 * stricter one, and there is no difference to show. Without this, tcompare also calls equal objects unequal that have a
 * key `constructor` of their own, which `fc.string` makes at times.
 */
import { isDeepStrictEqual } from 'node:util';
import { Same, Strict } from 'tcompare';

const CLASSES: readonly unknown[] = [Same, Strict];
const { print } = Same.prototype;

Same.prototype.print = function (this: Same): string {
  const isComparison = this.parent === null && CLASSES.includes(this.constructor);
  if (!isComparison || !isDeepStrictEqual(this.object, this.expect)) return print.call(this);
  this.match = true;
  return '';
};
