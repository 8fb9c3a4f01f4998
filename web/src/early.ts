/**
 * Runs before the client, which is then still being loaded: asks whether there is a session, registers if no other tab
 * leads, and asks for the messages of the address and the scripts that show them. The platform gives the answers to the
 * core when it asks the same (platform/early-answers.ts).
 */
import {
  CSRF_HEADERS,
  LEADER_LOCK_NAME,
  REGISTRATION_PARAMS,
  SESSION_CHECK_PATH,
  SESSION_HINT_COOKIE,
  type SessionCheck,
} from './contract/index.js';
import { FIRST_LOAD_MESSAGES_PER_SIDE, makeMessagesParams, type NarrowTerm, parseNarrowHash } from './core/index.js';

declare global {
  /**
   * Answers by method, path and body of their requests; undefined for one that was not sent after all. Once the map is
   * there, nothing is asked early any more.
   */
  var earlyAnswers: Map<string, Promise<Response | undefined>> | undefined;
}

const HINTED_SESSION: SessionCheck = { signed_in: true, public_access: false };

/** Scripts of the chunk of messages, which the build fills in. */
declare const MESSAGE_SCRIPTS: readonly string[];
/** Scripts of its texts by language, as the build knows them. */
declare const TEXT_SCRIPTS: Readonly<Record<string, readonly string[]>>;

const encode = (params: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const registration = encode(REGISTRATION_PARAMS);

const send = (method: string, path: string, body: URLSearchParams | null): Promise<Response> =>
  fetch(path, { method, headers: CSRF_HEADERS, cache: 'no-store', body });

/** Before the state is there, streams and people are known by their ids alone. */
const NO_NAMES = { ownUserId: 0, streamName: () => '', findStreamIdByName: () => undefined, userName: () => '' };

/** @returns the address of the messages that the page opens with; undefined for another view */
function makeMessagesPath(): string | undefined {
  const { narrow, near = 'first_unread' } = parseNarrowHash(location.hash, NO_NAMES) ?? {};
  const isNamed = ({ operator, operand }: NarrowTerm) =>
    /^s(?:tream|ender)$/.test(operator) && typeof operand === 'string';
  if (!narrow || narrow.some(isNamed)) return undefined;
  // The id stands for an account; the answers to visitors are not asked for early.
  const params = makeMessagesParams(narrow, near, FIRST_LOAD_MESSAGES_PER_SIDE, FIRST_LOAD_MESSAGES_PER_SIDE, 1);
  return `/api/v1/messages?${encode(params)}`;
}

function preloadMessageScripts(): void {
  const language = navigator.languages.map((tag) => tag.split('-')[0]!).find((code) => TEXT_SCRIPTS[code]) ?? 'en';
  for (const href of [...MESSAGE_SCRIPTS, ...TEXT_SCRIPTS[language]!]) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
}

/** @returns undefined where another tab leads, without a session, and if the server refuses: the core asks again */
async function register(check: Promise<SessionCheck>, onSent: () => void): Promise<Response | undefined> {
  const locks = navigator.locks?.query();
  // Asked without a session, the browser would write the refusal to the console.
  const { signed_in, public_access } = document.cookie.includes(SESSION_HINT_COOKIE) ? HINTED_SESSION : await check;
  if (!(signed_in || public_access)) return undefined;
  const { held = [] } = (await locks) ?? {};
  const isLed = held.some(({ name }) => name === LEADER_LOCK_NAME);
  const sent = isLed ? undefined : send('POST', '/api/v1/register', registration);
  onSent();
  const answer = await sent;
  return answer?.ok ? answer : undefined;
}

if (!globalThis.earlyAnswers) {
  const answer = send('GET', SESSION_CHECK_PATH, null);
  const check: Promise<SessionCheck> = answer.then((response) => response.clone().json());
  const path = makeMessagesPath();
  // Asked for earlier, scripts would take the place of the registration: browsers open six connections to a server.
  const registered = register(check, () => path !== undefined && preloadMessageScripts());
  globalThis.earlyAnswers = new Map<string, Promise<Response | undefined>>([
    [`GET ${SESSION_CHECK_PATH} `, answer],
    [`POST /api/v1/register ${registration}`, registered],
  ]);
  // The core says what is wrong, if it asks.
  registered.catch(() => {});
  if (path !== undefined) {
    // Messages that were fetched before the queue began could miss what came between.
    const messages = Promise.all([check, registered]).then(([{ signed_in }, isRegistered]) =>
      signed_in && isRegistered ? send('GET', path, null) : undefined,
    );
    messages.catch(() => {});
    globalThis.earlyAnswers.set(`GET ${path} `, messages);
  }
}
