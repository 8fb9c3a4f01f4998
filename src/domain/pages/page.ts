/** Pages for browsers: plain HTML without scripts and without external resources. */

import { escapeHtml } from '#base';
import type { PageTexts, ServerLanguage } from '#domain/texts';
import type { RawHttpAnswer } from '#model';

/** The colours, sizes and shapes of the web client (web/src/style/tokens.css, sign-in.css). */
const PAGE_STYLESHEET = [
  ':root{color-scheme:light dark}',
  'body{font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;margin:0;padding:1.5rem 1rem;',
  'background:light-dark(#f4f5f8,#14171c);color:light-dark(#1b212b,#e4e7ec)}',
  'main{max-width:26rem;margin:8vh auto 0;padding:1.5rem;border-radius:10px;overflow-wrap:anywhere;',
  'border:1px solid light-dark(#e2e5eb,#2b313b);background:light-dark(#fff,#1a1e24)}',
  'h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.01em}',
  'a{color:light-dark(#3450c8,#9db1ff)}',
  '.way a{display:inline-block;padding:.65rem 0}',
  'label{display:block;font-weight:600;margin-top:1rem}',
  '.choice{font-weight:400;padding:.65rem 0}.choice input{width:auto;min-height:0;margin-right:.5rem}',
  'input{font:inherit;width:100%;box-sizing:border-box;min-height:44px;padding:.4rem .75rem;border-radius:6px;',
  'border:1px solid light-dark(#838d9b,#6f7b8b);background:light-dark(#fff,#1a1e24);color:inherit}',
  'button,.button{display:block;box-sizing:border-box;width:100%;min-height:44px;margin-top:1.5rem;padding:.5rem 1.5rem;',
  'border:0;border-radius:6px;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;',
  'background:light-dark(#3450c8,#9db1ff);color:light-dark(#fff,#10141f)}',
  ':focus-visible{outline:2px solid light-dark(#3450c8,#aebfff);outline-offset:2px}',
  '.problem{border-left:.3rem solid light-dark(#bb2529,#ff908b);padding-left:1rem}',
].join('');

const HTML_PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // The address of a page is a secret of its recipient, so no cache and no other site may get it. Forms send their data
  // to this server only.
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
};

/** HTML text that templates insert without escaping it. */
export class SafeHtml {
  constructor(readonly text: string) {}
}

/** HTML of a template. Values are escaped unless they are Html; lists are joined. */
export function htmlTemplate(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | SafeHtml | readonly SafeHtml[])[]
): SafeHtml {
  const parts = values.map((value) => {
    if (value instanceof SafeHtml) return value.text;
    return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value));
  });
  return new SafeHtml(strings.map((text, i) => text + (parts[i] ?? '')).join(''));
}

/** Makes the last line of a page: how to go on to signing in. @param hasWebClient true if the sign-in page is at `/` */
export const makeSignInLine = (words: string, { signInWithApp }: PageTexts, hasWebClient: boolean): SafeHtml =>
  hasWebClient ? htmlTemplate`<p class="way"><a href="/">${words}</a></p>` : htmlTemplate`<p>${signInWithApp}</p>`;

export function makeHtmlPageAnswer(
  language: ServerLanguage,
  status: number,
  title: string,
  body: SafeHtml,
): RawHttpAnswer {
  const { text } = htmlTemplate`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new SafeHtml(PAGE_STYLESHEET)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return { status, raw: Buffer.from(text), headers: HTML_PAGE_HEADERS };
}

/** Makes a page that has a heading and a sentence. */
export const makeSimplePageAnswer = (
  language: ServerLanguage,
  status: number,
  { title, text }: { readonly title: string; readonly text: string },
): RawHttpAnswer => makeHtmlPageAnswer(language, status, title, htmlTemplate`<p>${text}</p>`);
