/** Helpers that every family of the suite uses. */
import type { Test } from 'tap';
import { type Refusal, refusalBody } from './support/client.js';
import type { Answer } from './support/types.js';

export * from './support/index.js';

/** Checks that the answer is exactly this refusal. */
export async function refused(t: Test, call: Promise<Answer>, refusal: Refusal, title = refusal.msg): Promise<void> {
  const answer = await call;
  t.same([answer.status, answer.body], [refusal.status ?? 400, refusalBody(refusal)], title);
}
