/** The files of a Slack message. */
import type { JsonObject } from '#base';
import type { CheckedExportRow } from '../format/row.js';

/** Links to the files of a message. Slack's exports have no bytes of files; their addresses need a log-in there. */
export function markdownLinksToSlackFiles(message: CheckedExportRow): string[] {
  const given = message.uncheckedValue('files');
  const files = (Array.isArray(given) ? given : []).filter((one) => typeof one === 'object' && one !== null);
  return (files as readonly JsonObject[]).flatMap(({ title, name, url_private: url, mode }) =>
    typeof url !== 'string' || mode === 'tombstone' || mode === 'hidden_by_limit'
      ? []
      : [`[${String(title || name || 'file').replace(/[[\]]/g, '')}](${url.replaceAll(' ', '%20')})`],
  );
}
