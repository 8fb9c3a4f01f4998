/**
 * Runs while the client is still being loaded: checks the session, registers unless another tab leads, and requests the
 * messages of the address and the scripts that show them. The platform gives the answers to the core when the core
 * sends the same requests (platform/early-answers.ts).
 */
import {
  CSRF_HEADERS,
  formatSessionHint,
  LEADER_LOCK_NAME,
  REGISTRATION_PARAMS,
  SESSION_CHECK_PATH,
  type SessionCheck,
} from './contract/index.js';
import { FIRST_LOAD_MESSAGES_PER_SIDE, makeMessagesParams, type NarrowTerm, parseNarrowHash } from './core/index.js';

declare global {
  /**
   * Answers by method, path and body of their requests; undefined for a request that was not sent in the end. If the
   * map exists already, this script sends no requests.
   */
  var earlyAnswers: Map<string, Promise<Response | undefined>> | undefined;
}

const HINTED_SESSION: Partial<SessionCheck> = { signed_in: true };

/** Addresses of the scripts of the message views, filled in by the build. */
declare const MESSAGE_SCRIPTS: readonly string[];
/** Addresses of the scripts with the texts of these views, by language, filled in by the build. */
declare const TEXT_SCRIPTS: Readonly<Record<string, readonly string[]>>;

const encode = (params: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const registration = encode(REGISTRATION_PARAMS);

const send = (method: string, path: string, body: URLSearchParams | null): Promise<Response> =>
  fetch(path, { method, headers: CSRF_HEADERS, cache: 'no-store', body });

/** Look-ups for a hash before the state is loaded: names of streams and people are not known yet. */
const NO_NAMES = { ownUserId: 0, streamName: () => '', findStreamIdByName: () => undefined, userName: () => '' };

/** @returns the path of the request for the messages that the page opens with; undefined for another view */
function makeMessagesPath(): string | undefined {
  const { narrow, near = 'first_unread' } = parseNarrowHash(location.hash, NO_NAMES) ?? {};
  const isNamed = ({ operator, operand }: NarrowTerm) =>
    /^s(?:tream|ender)$/.test(operator) && typeof operand === 'string';
  if (!narrow || narrow.some(isNamed)) return undefined;
  // The id 1 stands for any account: without an account no messages are requested early.
  const params = makeMessagesParams(narrow, near, FIRST_LOAD_MESSAGES_PER_SIDE, FIRST_LOAD_MESSAGES_PER_SIDE, 1);
  return `/api/v1/messages?${encode(params)}`;
}

function preloadMessageScripts(): void {
  const language = navigator.languages.map((tag) => tag.split('-')[0]!).find((code) => TEXT_SCRIPTS[code]) ?? 'en';
  for (const href of [...MESSAGE_SCRIPTS, ...TEXT_SCRIPTS[language]!]) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
}

/**
 * @returns undefined if another tab leads, if there is no session, or if the server refuses: the core then tries itself
 */
async function register(check: Promise<SessionCheck>, onSent: () => void): Promise<Response | undefined> {
  const locks = navigator.locks?.query();
  // Without a session the server would refuse, and the browser would write the refusal to the console.
  const isHinted = document.cookie.includes(formatSessionHint(location.port));
  const { signed_in, public_access } = isHinted ? HINTED_SESSION : await check;
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
  // Scripts that were requested earlier would delay the registration: browsers open six connections to a server.
  const registered = register(check, () => path !== undefined && preloadMessageScripts());
  globalThis.earlyAnswers = new Map<string, Promise<Response | undefined>>([
    [`GET ${SESSION_CHECK_PATH} `, answer],
    [`POST /api/v1/register ${registration}`, registered],
  ]);
  // The core reports a failure when it takes the answer.
  registered.catch(() => {});
  if (path !== undefined) {
    // The messages are requested after the registration: an earlier answer could lack messages that arrive before the
    // queue begins.
    const messages = Promise.all([check, registered]).then(([{ signed_in }, isRegistered]) =>
      signed_in && isRegistered ? send('GET', path, null) : undefined,
    );
    messages.catch(() => {});
    globalThis.earlyAnswers.set(`GET ${path} `, messages);
  }
}
