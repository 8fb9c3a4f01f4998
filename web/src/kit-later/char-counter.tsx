import { t } from '../text/index.js';

/** The counter of characters is shown from this share of the limit on. */
const COUNTER_THRESHOLD_SHARE = 0.9;

/** @returns a text that says that the text of a message is too long; undefined if it is not */
export const findTooLongText = (text: string, limit = Infinity): string | undefined =>
  [...text].length > limit ? t('compose.too-long', { n: limit }) : undefined;

/** Number of characters left, near the limit. */
export function CharCounter({
  text,
  limit = Infinity,
}: {
  readonly text: string;
  readonly limit?: number | undefined;
}) {
  if (text.length < limit * COUNTER_THRESHOLD_SHARE) return null;
  const left = limit - [...text].length;
  return (
    <span class={`compose-counter ${left < 0 ? 'over' : ''}`} role="status">
      {left < 0 ? t('compose.over', { n: -left }) : t('compose.left', { n: left })}
    </span>
  );
}
