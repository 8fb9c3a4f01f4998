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
 * @param gone for what was there once, or never was @param again what to show for a request that can be mended.
 * Faults of the server pass.
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

export const APPLICANT_PARAMETERS = {
  full_name: maybeText('form', 'Name shown to others.'),
  password: maybeText('form', 'At least 6 characters and hard enough to guess.'),
} as const;
