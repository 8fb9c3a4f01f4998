/**
 * Runs before the client, which is then still being loaded: asks whether there is a session, and registers if no other
 * tab leads. The platform gives the answers to the core when it asks the same (platform/early-answers.ts).
 */
import {
  CSRF_HEADERS,
  LEADER_LOCK_NAME,
  REGISTRATION_PARAMS,
  SESSION_CHECK_PATH,
  type SessionCheck,
} from './contract/index.js';

declare global {
  /**
   * Answers by method, path and body of their requests; undefined for one that was not sent after all. Once the map is
   * there, nothing is asked early any more.
   */
  var earlyAnswers: Map<string, Promise<Response | undefined>> | undefined;
}

const params = Object.entries(REGISTRATION_PARAMS).map(([name, value]) => [name, JSON.stringify(value)]);
const registration = new URLSearchParams(params);

const send = (method: string, path: string, body: URLSearchParams | null): Promise<Response> =>
  fetch(path, { method, headers: CSRF_HEADERS, cache: 'no-store', body });

async function registerUnlessSignedOutOrLed(check: Promise<SessionCheck>): Promise<Response | undefined> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const { signed_in, public_access } = await check;
  if (!(signed_in || public_access) || held.some(({ name }) => name === LEADER_LOCK_NAME)) return undefined;
  return send('POST', '/api/v1/register', registration);
}

if (!globalThis.earlyAnswers) {
  const check = send('GET', SESSION_CHECK_PATH, null);
  const registered = registerUnlessSignedOutOrLed(check.then((answer) => answer.clone().json()));
  // The core says what is wrong, if it asks.
  registered.catch(() => {});
  globalThis.earlyAnswers = new Map<string, Promise<Response | undefined>>([
    [`GET ${SESSION_CHECK_PATH} `, check],
    [`POST /api/v1/register ${registration}`, registered],
  ]);
}
