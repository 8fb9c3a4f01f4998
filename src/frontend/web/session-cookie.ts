/**
 * The session cookie. Behind TLS its name has the prefix `__Host-`: a browser then accepts the cookie only over TLS and
 * from this very host, so that neither the network nor the host of another organization can plant a session.
 */

const NAME = 'conclave_session';
const SECURE_NAME = `__Host-${NAME}`;
/** Seconds for which browsers keep a session cookie. The server ends a session that was not used for 30 days. */
const MAX_AGE_S = 400 * 86_400;

const TOKEN = /^[A-Za-z0-9]{32}$/;

const cookie = (token: string, secure: boolean, maxAge: number): string =>
  `${secure ? SECURE_NAME : NAME}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/**
 * Makes the value of Set-Cookie that begins a session.
 * @param secure true if the browser reached the server over TLS
 */
export const makeSessionCookie = (token: string, secure: boolean): string => cookie(token, secure, MAX_AGE_S);

/** Makes the value of Set-Cookie that makes the browser forget its session. */
export const makeExpiredSessionCookie = (secure: boolean): string => cookie('', secure, 0);

/** Returns the secret of the session in a Cookie header; '' if there is none. */
export function sessionTokenOfCookieHeader(header: string, secure: boolean): string {
  const name = secure ? SECURE_NAME : NAME;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
    const token = pair.slice(equals + 1).trim();
    return TOKEN.test(token) ? token : '';
  }
  return '';
}

/** True if the Cookie header has a session, which may have ended. */
export const hasSessionCookie = (header: string): boolean => header.includes(`${NAME}=`);

/** True if the text is a well-formed token of a one-time sign-in link. */
export const isWellFormedSignInToken = (text: string): boolean => TOKEN.test(text);
