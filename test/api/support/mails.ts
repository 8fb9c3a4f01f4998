/** Mails that the server sent, as their readers see them. */
import { until } from '../../support/until.js';
import type { TestServer } from './faces.js';

export interface SentMail {
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The mail as HTML; '' for mails of text alone. */
  readonly html: string;
}

const encoded = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const word = (_: string, kind: string, text: string): string =>
  kind.toLowerCase() === 'b'
    ? Buffer.from(text, 'base64').toString('utf8')
    : quotedPrintable(text.replaceAll('_', ' '));

interface MimePart {
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A mail. One with text and HTML is a `multipart/alternative` of both. */
function parse(raw: string): SentMail {
  const { headers, text } = parsePart(raw);
  const boundary = /^multipart\/alternative;.*boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) return { headers, text, html: '' };
  const parts = raw
    .slice(raw.indexOf('\r\n\r\n'))
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => parsePart(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
  const of = (type: string): string =>
    parts.find((part) => part.headers.get('content-type')?.startsWith(type))?.text ?? '';
  return { headers, text: of('text/plain'), html: of('text/html') };
}

function parsePart(raw: string): MimePart {
  const end = raw.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trim();
    headers.set(line.slice(0, colon).toLowerCase(), value.replace(/\?= =\?/g, '?==?').replace(encoded, word));
  }
  const body = raw.slice(end + 4);
  const how = headers.get('content-transfer-encoding');
  const text =
    how === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : how === 'quoted-printable'
        ? quotedPrintable(body)
        : body;
  return { headers, text: text.replaceAll('\r\n', '\n') };
}

/**
 * All mails to an address so far, oldest first. A host that loses its lease between sending and commit sends a mail
 * again under the same id (actors/mail), which mail programs show once.
 */
export function mailsTo(server: TestServer, address: string): SentMail[] {
  const sent = server
    .mails()
    .filter((raw) => raw.includes(address))
    .map(parse)
    .filter(({ headers }) => headers.get('to') === address);
  return [...new Map(sent.reverse().map((mail) => [mail.headers.get('message-id'), mail])).values()].reverse();
}

/** The mails to an address, as soon as there are `count` of them. */
export async function mailed(server: TestServer, address: string, count = 1): Promise<SentMail[]> {
  await until(`${count} mails to ${address}`, async () => mailsTo(server, address).length >= count, 10_000);
  return mailsTo(server, address);
}

/** Path to which mail programs post to unsubscribe with one click (RFC 8058). */
export function unsubscribePathOf({ headers }: SentMail): string {
  const header = headers.get('list-unsubscribe') ?? '';
  const url = /^<(.*)>$/.exec(header)?.[1];
  if (url === undefined) throw new Error(`no address to unsubscribe: ${header}`);
  return new URL(url).pathname;
}

/** Path of the only link in a mail. */
export function linkIn({ text }: SentMail): string {
  const [link, ...others] = text.match(/https?:\/\/\S+/g) ?? [];
  if (link === undefined || others.length > 0) throw new Error(`not one link: ${text}`);
  return new URL(link).pathname;
}
