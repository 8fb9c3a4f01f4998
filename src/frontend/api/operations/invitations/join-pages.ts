/** Parts that the pages of joining share: refusals as pages, and the fields of a new account. */
import type { FormProblem } from '#domain/pages';
import type { RawAnswer } from '#model';
import { ActorRefused, ApiError, type ErrorReply } from '#model/errors';
import { maybeText } from '../../parameters.js';

export type JoinProblem = FormProblem;

function problemOf({ status, msg }: ErrorReply): JoinProblem | undefined {
  if (status === 400) return { status, text: msg };
  if (status === 429) return { status, text: 'Too many letters were sent. Try again later.' };
  return undefined;
}

/**
 * The answer, or a page in place of a refusal. Errors of the server (status 500 and above) are thrown on.
 * @param gone page for an invitation that doesn't exist (any more)
 * @param again page with the form and the problem, for requests that the user can correct
 */
export async function orRefusalPage(
  gone: () => RawAnswer,
  answer: () => Promise<RawAnswer>,
  again?: (problem: JoinProblem) => Promise<RawAnswer>,
): Promise<RawAnswer> {
  try {
    return await answer();
  } catch (error) {
    const reply = error instanceof ActorRefused ? error.reply : error instanceof ApiError ? error.toReply() : undefined;
    if (!reply || reply.status >= 500) throw error;
    const problem = problemOf(reply);
    return again && problem ? orRefusalPage(gone, () => again(problem)) : gone();
  }
}

/** Fields that a new user fills in. */
export const APPLICANT_PARAMETERS = {
  full_name: maybeText('form', 'Name shown to others.'),
  password: maybeText('form', 'At least 6 characters and hard enough to guess.'),
} as const;
