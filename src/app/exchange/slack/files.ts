/** The files of a Slack message. */
import { withoutSlackFileTokens } from '#domain/integrations';
import type { CheckedExportRow } from '../format/row.js';

/** Links to the files of a message. Slack's exports have no bytes of files; their addresses need a log-in there. */
export function markdownLinksToSlackFiles(message: CheckedExportRow): string[] {
  return message
    .objectsOfList('files')
    .flatMap(({ title, name, url_private: url, mode }) =>
      typeof url !== 'string' || mode === 'tombstone' || mode === 'hidden_by_limit'
        ? []
        : [
            `[${String(title || name || 'file').replace(/[[\]]/g, '')}](${withoutSlackFileTokens(url.replaceAll(' ', '%20'))})`,
          ],
    );
}
