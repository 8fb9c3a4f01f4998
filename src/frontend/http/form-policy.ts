/**
 * What a form that is sent to an address may be, before it is known which of the address's operations is meant: for a POST the form
 * itself may say so.
 */

import { madeOnce } from '#base';
import { MOST_BODY_MIB, type Operation } from '#frontend/api';
import type { Target } from './arrival.js';

export interface FormPolicy {
  /** There is an operation that it may be for. */
  readonly possible: boolean;
  /** None of them can be called without credentials, but for visitors of organizations with public access. */
  readonly needsAccount: boolean;
  /** Some of them may be called by such visitors. */
  readonly visitors: boolean;
  readonly takesFiles: boolean;
  /** Largest body without files. */
  readonly mostBytes: number;
}

type Methods = ReadonlyMap<string, Target>;

const policyOf = (operations: readonly Operation[]): FormPolicy => ({
  possible: operations.length > 0,
  needsAccount: operations.every(({ guard, visitors }) => guard !== 'none' && !visitors),
  visitors: operations.some(({ anonymous }) => anonymous === true),
  takesFiles: operations.some(({ takesFiles }) => takesFiles === true),
  mostBytes: Math.max(0, ...operations.map(({ mostBodyMib = MOST_BODY_MIB }) => mostBodyMib)) * 1_048_576,
});

const policies = madeOnce(
  (methods: Methods): ReadonlyMap<string, FormPolicy> =>
    new Map([
      ...[...methods].map(([method, { operation }]) => [method, policyOf([operation])] as const),
      ['POST', policyOf([...methods.values()].map(({ operation }) => operation))] as const,
    ]),
);

const NOTHING = policyOf([]);

export const formPolicy = (methods: Methods, method: string): FormPolicy => policies(methods).get(method) ?? NOTHING;
