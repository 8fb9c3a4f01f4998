/**
 * Answers to requests that the early script sent while the client was loaded (web/src/early.ts); each is taken once.
 */

/** Time after which the answers are dropped, because the state may have changed since. */
const MAX_AGE_MS = 20_000;

const POLL_PATH_PREFIX = '/api/v1/events?';

/**
 * Called when the client runs: the early script then sends no more requests. Answers that are not taken within
 * `MAX_AGE_MS` are dropped, because a registration may be large.
 */
export function startTakingEarlyAnswers(): void {
  globalThis.earlyAnswers ??= new Map();
  setTimeout(() => globalThis.earlyAnswers!.clear(), MAX_AGE_MS);
}

/**
 * Takes the answer to a request that was sent early. The first poll drops all of these answers: its events change the
 * state, and an earlier answer would undo their changes.
 * @returns undefined if the request was not sent early
 */
export async function takeEarlyAnswer(
  method: string,
  path: string,
  body: URLSearchParams | string = '',
): Promise<Response | undefined> {
  if (path.startsWith(POLL_PATH_PREFIX)) globalThis.earlyAnswers!.clear();
  const key = `${method} ${path} ${body}`;
  const answer = globalThis.earlyAnswers!.get(key);
  globalThis.earlyAnswers!.delete(key);
  return answer;
}
