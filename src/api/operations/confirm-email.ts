/**
 * The page that the link in a mail leads to. Opening it changes nothing, since mail scanners open links too: the change is
 * made by the button on it.
 */
import { escapeHtml, realmKey } from '../../core/index.js';
import { openLink } from '../../secrets/index.js';
import { ActorRefused, ApiError, apiError, PRODUCT } from '../errors.js';
import { type Call, operation, type RawAnswer } from '../operation.js';
import { pathText } from '../parameters.js';

/** Of a page that loads nothing, is in no frame, and tells nobody its address, which is a secret. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Cache-Control': 'no-store',
} as const;

const page = (status: number, html: string): RawAnswer => ({
  status,
  raw: Buffer.from(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${PRODUCT}</title></head><body>${html}</body></html>\n`,
  ),
  headers: HEADERS,
});

const said = (status: number, text: string): RawAnswer => page(status, `<p>${escapeHtml(text)}</p>`);

type LinkCall = Call<{ readonly token: string }>;

/** @throws ApiError */
function linkOf({ params, secrets, now }: LinkCall) {
  const link = openLink(secrets, 'change-email', params.token, now);
  if (!link) throw apiError('MAIL_LINK');
  return link;
}

/** Refusals as a page. */
async function asPage(answer: () => RawAnswer | Promise<RawAnswer>): Promise<RawAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ApiError) return said(error.status, error.message);
    if (error instanceof ActorRefused) return said(error.reply.status, error.reply.msg);
    throw error;
  }
}

const parameters = { token: pathText('From the mail.') } as const;

export const showConfirmation = operation({
  id: 'show-email-confirmation',
  method: 'GET',
  path: '/accounts/confirm_email/{token}',
  root: true,
  guard: 'none',
  summary: 'Page with the button that confirms a new e-mail address.',
  parameters,
  run: (call) =>
    asPage(() => {
      linkOf(call);
      return page(
        200,
        '<p>Make this the e-mail address of your account?</p><form method="post"><button>Confirm</button></form>',
      );
    }),
});

export const confirmEmail = operation({
  id: 'confirm-email',
  method: 'POST',
  path: '/accounts/confirm_email/{token}',
  root: true,
  guard: 'none',
  summary: 'Confirm a new e-mail address.',
  parameters,
  run: (call) =>
    asPage(async () => {
      const { realm, user } = linkOf(call);
      const args = { user, hash: call.secrets.keyHash(call.params.token), shown: realm === call.realm };
      const { email } = await call.send({ to: realmKey(realm), command: 'confirm-email', args });
      return said(200, `The e-mail address of your account is now ${String(email)}.`);
    }),
});
