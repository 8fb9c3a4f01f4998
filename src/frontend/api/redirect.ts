import type { RawAnswer } from '#model';

/** Percent-encoded; a part with a broken escape stays as it is. */
function nameOf(part: string): string {
  const name = part.split('=', 1)[0]!;
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

/** What may go on to another server: no keys, and nothing that could end a header. */
const passedOn = (query: string): string =>
  query
    .split('&')
    .filter((part) => part !== '' && nameOf(part) !== 'api_key')
    .join('&')
    .replace(/[^\x21-\x7e]/gu, (char) =>
      [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    );

/** To an address that has a query, with that of the request appended. */
export const redirect = (url: string, query: string): RawAnswer => {
  const more = passedOn(query);
  return {
    status: 302,
    raw: new Uint8Array(0),
    headers: {
      Location: more === '' ? url : `${url}&${more}`,
      'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    },
  };
};
