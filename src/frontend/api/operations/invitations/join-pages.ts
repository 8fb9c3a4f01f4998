/** Parts that the pages of joining share: refusals as pages, and the fields of a new account. */
import type { FormRefusal } from '#domain/pages';
import type { RawHttpAnswer } from '#model';
import { ActorRefusedError, ApiError, type ApiErrorReply, retryAfterSecondsOf } from '#model/errors';
import type { ApiCall } from '../../operation.js';
import { declareOptionalTextParameter } from '../../parameters.js';

export type NewAccountFormProblem = FormRefusal;

function correctableProblemOfRefusal({ status, msg }: ApiErrorReply): NewAccountFormProblem | undefined {
  if (status === 400) return { status, text: msg };
  if (status === 429) return { status, text: null };
  return undefined;
}

/**
 * Returns the answer of `answer`, or a page in place of a refusal. Errors of the server (status 500 and above) are
 * thrown on.
 * @param gone makes the page for an invitation that doesn't exist (any more)
 * @param again makes the page with the form and the problem, for requests that the user can correct
 */
export async function answerWithPageOnRefusal(
  gone: () => RawHttpAnswer,
  answer: () => Promise<RawHttpAnswer>,
  again?: (problem: NewAccountFormProblem) => Promise<RawHttpAnswer>,
): Promise<RawHttpAnswer> {
  try {
    return await answer();
  } catch (error) {
    const reply =
      error instanceof ActorRefusedError ? error.reply : error instanceof ApiError ? error.toReply() : undefined;
    if (!reply || reply.status >= 500) throw error;
    const problem = correctableProblemOfRefusal(reply);
    const page = again && problem ? await answerWithPageOnRefusal(gone, () => again(problem)) : gone();
    return addRetryAfterIfKnown(page, reply);
  }
}

function addRetryAfterIfKnown(page: RawHttpAnswer, refusal: ApiErrorReply): RawHttpAnswer {
  const after = retryAfterSecondsOf(refusal);
  return after === undefined ? page : { ...page, headers: { ...page.headers, 'Retry-After': String(after) } };
}

/** Parameters of the form that a new user fills in. */
export const NEW_ACCOUNT_FORM_PARAMETERS = {
  full_name: declareOptionalTextParameter('form', 'Name shown to others.'),
  password: declareOptionalTextParameter('form', 'At least 6 characters and hard enough to guess.'),
} as const;

/** Returns the argument of a command that creates an account: the language of the newcomer's browser. */
export const languageOfNewcomer = ({ browserLanguage }: ApiCall<unknown>): { readonly language?: string } =>
  browserLanguage === undefined ? {} : { language: browserLanguage };
