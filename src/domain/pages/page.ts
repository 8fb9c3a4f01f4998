/** Pages for browsers: plain HTML without scripts and without external resources. */

import { escapeHtml } from '#base';
import type { RawAnswer } from '#model';

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:2rem auto;padding:0 1rem}',
  'label{display:block;font-weight:600;margin-top:1rem}',
  'input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}',
  'button{font:inherit;margin-top:1.5rem;padding:.5rem 1.5rem}',
  '.problem{border-left:.3rem solid #c22;padding-left:1rem}',
].join('');

const HEADERS = {
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
export class Html {
  constructor(readonly text: string) {}
}

/** HTML of a template. Values are escaped unless they are Html; lists are joined. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const parts = values.map((value) => {
    if (value instanceof Html) return value.text;
    return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value));
  });
  return new Html(strings.map((text, i) => text + (parts[i] ?? '')).join(''));
}

export function makePageAnswer(status: number, title: string, body: Html): RawAnswer {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return { status, raw: Buffer.from(text), headers: HEADERS };
}
