/** Token in the text of each message: identifies the message and carries its intended send time to all receivers. */

/** Token of one message. */
export interface Token {
  readonly token: string;
  /** Intended send time on the harness's clock, ms. */
  readonly at: number;
}

/** Whether a character code is a small letter, a digit or a hyphen. */
const isPlain = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code === 45;

/** @returns a token of letters, digits and hyphens, which Markdown does not change */
export const makeToken = (run: string, client: number, sequence: number, at: number): string =>
  `ld-${run}-${client.toString(36)}-${sequence.toString(36)}-${Math.round(at * 1_000).toString(36)}`;

/** @returns the token of a message of this run; undefined for other messages */
export function findToken(content: string, run: string): Token | undefined {
  const start = content.indexOf(`ld-${run}-`);
  if (start < 0) return undefined;
  let end = start;
  while (end < content.length && isPlain(content.charCodeAt(end))) end++;
  const token = content.slice(start, end);
  const at = Number.parseInt(token.slice(token.lastIndexOf('-') + 1), 36) / 1_000;
  return token.split('-').length === 5 && Number.isFinite(at) ? { token, at } : undefined;
}
