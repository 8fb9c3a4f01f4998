/** What the suite is written with. */
import type { Test } from 'tap';
import { type Answer, type Refusal, refusalBody } from './support/index.js';

export * from './support/index.js';

/** The answer is this refusal, field for field. */
export async function refused(t: Test, call: Promise<Answer>, refusal: Refusal, title = refusal.msg): Promise<void> {
  const answer = await call;
  t.same([answer.status, answer.body], [refusal.status ?? 400, refusalBody(refusal)], title);
}
