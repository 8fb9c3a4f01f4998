/** What an actor refuses, on a page. */
import type { FormProblem } from '#domain/pages';
import type { RawAnswer } from '#model';
import { ActorRefused, ApiError, type ErrorReply } from '#model/errors';

export type Problem = FormProblem;

function problemOf({ status, msg }: ErrorReply): Problem | undefined {
  if (status === 400) return { status, text: msg };
  if (status === 429) return { status, text: 'Too many letters were sent. Try again later.' };
  return undefined;
}

/**
 * @param gone for what was there once, or never was @param again what to show for a request that can be mended.
 * Faults of the server pass.
 */
export async function orPage(
  gone: () => RawAnswer,
  answer: () => Promise<RawAnswer>,
  again?: (problem: Problem) => Promise<RawAnswer>,
): Promise<RawAnswer> {
  try {
    return await answer();
  } catch (error) {
    const reply = error instanceof ActorRefused ? error.reply : error instanceof ApiError ? error.toReply() : undefined;
    if (!reply || reply.status >= 500) throw error;
    const problem = problemOf(reply);
    return again && problem ? orPage(gone, () => again(problem)) : gone();
  }
}
