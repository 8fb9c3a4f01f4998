import { t } from '../text/index.js';

/** Share of the limit from which the counter is shown. */
const COUNTER_THRESHOLD_SHARE = 0.9;

/** @returns an error if the text of a message is too long; otherwise undefined */
export const findTooLongText = (text: string, limit = Infinity): string | undefined =>
  [...text].length > limit ? t('compose.too-long', { n: limit }) : undefined;

/** Number of characters left; shown near the limit only. */
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
