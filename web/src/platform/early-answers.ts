/** Answers that the page asked for while the client was loaded (web/src/early.ts), each for one request. */

/** Later, an answer may be too old to go on from. */
const MAX_AGE_MS = 20_000;

/** From now on nothing is asked early. Forgets the answers that nobody takes: a registration may be large. */
export function startTakingEarlyAnswers(): void {
  globalThis.earlyAnswers ??= new Map();
  setTimeout(() => globalThis.earlyAnswers!.clear(), MAX_AGE_MS);
}

/** @returns the answer to a request that was already sent */
export async function takeEarlyAnswer(method: string, path: string, body = ''): Promise<Response | undefined> {
  const key = `${method} ${path} ${body}`;
  const answer = globalThis.earlyAnswers!.get(key);
  globalThis.earlyAnswers!.delete(key);
  return answer;
}
