/**
 * The session cookie. Behind TLS its name has the prefix `__Host-`: a browser then accepts the cookie only over TLS and
 * from this very host, so that neither the network nor the host of another organization can plant a session.
 */

const SESSION_COOKIE_NAME = 'conclave_session';
const TLS_SESSION_COOKIE_NAME = `__Host-${SESSION_COOKIE_NAME}`;
/** Seconds for which browsers keep a session cookie. The server ends a session that was not used for 30 days. */
const SESSION_COOKIE_MAX_AGE_SECONDS = 400 * 86_400;

const SESSION_TOKEN_PATTERN = /^[A-Za-z0-9]{32}$/;

const formatSessionCookie = (token: string, secure: boolean, maxAge: number): string =>
  `${secure ? TLS_SESSION_COOKIE_NAME : SESSION_COOKIE_NAME}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/**
 * Makes the value of Set-Cookie that begins a session.
 * @param secure true if the browser reached the server over TLS
 */
export const makeSessionCookie = (token: string, secure: boolean): string =>
  formatSessionCookie(token, secure, SESSION_COOKIE_MAX_AGE_SECONDS);

/** Makes the value of Set-Cookie that makes the browser forget its session. */
export const makeExpiredSessionCookie = (secure: boolean): string => formatSessionCookie('', secure, 0);

/** Returns the secret of the session in a Cookie header; '' if there is none. */
export function sessionTokenOfCookieHeader(header: string, secure: boolean): string {
  const name = secure ? TLS_SESSION_COOKIE_NAME : SESSION_COOKIE_NAME;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
    const token = pair.slice(equals + 1).trim();
    return SESSION_TOKEN_PATTERN.test(token) ? token : '';
  }
  return '';
}

/** True if the Cookie header has a session, which may have ended. */
export const hasSessionCookie = (header: string): boolean => header.includes(`${SESSION_COOKIE_NAME}=`);

/** True if the text is a well-formed token of a one-time sign-in link. */
export const isWellFormedSignInToken = (text: string): boolean => SESSION_TOKEN_PATTERN.test(text);
