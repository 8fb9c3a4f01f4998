/** The files of a Slack message. */
import type { Json } from '#base';
import { withoutSlackFileTokens } from '#domain/integrations';
import type { CheckedExportRow } from '../format/row.js';
import type { AdjustedRowCounts } from '../import/draft.js';

/** Files without content, by their mode, and why they have none. */
const LEFT_OUT_REASON_BY_MODE: ReadonlyMap<Json | undefined, string> = new Map([
  ['tombstone', 'file that was deleted in Slack'],
  ['hidden_by_limit', "file that the limits of Slack's plan hide"],
]);

/**
 * Links to the files of a message. Slack's exports have no bytes of files; their addresses need a log-in there. A
 * canvas may have the address of its page only.
 */
export const markdownLinksToSlackFiles = (message: CheckedExportRow, leftOut: AdjustedRowCounts): string[] =>
  message.objectsOfList('files').flatMap(({ title, name, url_private, permalink, mode }) => {
    const url = url_private || permalink;
    const reason =
      LEFT_OUT_REASON_BY_MODE.get(mode) ?? (typeof url === 'string' ? undefined : 'file without an address');
    if (reason !== undefined) leftOut.addCount(reason);
    if (reason !== undefined || typeof url !== 'string') return [];
    const label = String(title || name || 'file').replace(/[[\]]/g, '');
    return [`[${label}](${withoutSlackFileTokens(url.replaceAll(' ', '%20'))})`];
  });
