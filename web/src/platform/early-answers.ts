/** Answers that the page asked for while the client was loaded (web/src/early.ts), each for one request. */

/** Later, an answer may be too old to go on from. */
const MAX_AGE_MS = 20_000;

const POLL_PATH_PREFIX = '/api/v1/events?';

/** From now on nothing is asked early. Answers that were not taken are forgotten: a registration may be large. */
export function startTakingEarlyAnswers(): void {
  globalThis.earlyAnswers ??= new Map();
  setTimeout(() => globalThis.earlyAnswers!.clear(), MAX_AGE_MS);
}

/**
 * The first poll ends the time of early answers: its events change the state, and an answer from before would undo what
 * they say.
 * @returns the answer to a request that was already sent
 */
export async function takeEarlyAnswer(method: string, path: string, body = ''): Promise<Response | undefined> {
  if (path.startsWith(POLL_PATH_PREFIX)) globalThis.earlyAnswers!.clear();
  const key = `${method} ${path} ${body}`;
  const answer = globalThis.earlyAnswers!.get(key);
  globalThis.earlyAnswers!.delete(key);
  return answer;
}
