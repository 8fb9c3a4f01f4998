/** The mark in a message's text by which every receiver knows whose it is and when it was meant to be sent. */

/** Distinct for each message of a run. */
export interface Token {
  readonly token: string;
  /** Intended time, milliseconds of the harness's clock. */
  readonly at: number;
}

const isPlain = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code === 45;

/** Letters, digits and hyphens only, so that rendering leaves it alone. */
export const tokenText = (run: string, client: number, nth: number, at: number): string =>
  `ld-${run}-${client.toString(36)}-${nth.toString(36)}-${Math.round(at * 1_000).toString(36)}`;

/** Token of a message of this run; undefined for other messages. */
export function tokenIn(content: string, run: string): Token | undefined {
  const start = content.indexOf(`ld-${run}-`);
  if (start < 0) return undefined;
  let end = start;
  while (end < content.length && isPlain(content.charCodeAt(end))) end++;
  const token = content.slice(start, end);
  const at = Number.parseInt(token.slice(token.lastIndexOf('-') + 1), 36) / 1_000;
  return token.split('-').length === 5 && Number.isFinite(at) ? { token, at } : undefined;
}
