/** Letters with links that somebody may ask for (conventions.md § Rate limits). */
import type { Limit } from '#base';

export const MAIL_LIMITS: readonly Limit[] = [
  [3_600_000, 2],
  [24 * 3_600_000, 5],
];
