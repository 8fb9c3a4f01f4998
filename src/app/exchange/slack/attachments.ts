/** The parts of a Slack message beside its text: attachments, which bots write, and files. */
import type { JsonObject } from '#base';
import type { CheckedExportRow } from '../format/row.js';

/** The text of a message's attachments, in Slack's markup. Bots often write nothing else. */
export function slackTextOfAttachments(message: CheckedExportRow): string {
  return listObjects(message, 'attachments')
    .flatMap(({ pretext, title, title_link: link, text, fallback }) => {
      const linkedTitle = title && link ? `<${String(link)}|${String(title)}>` : title;
      const parts = [pretext, linkedTitle, text].filter(isNonEmptyText);
      return parts.length > 0 ? parts : [fallback].filter(isNonEmptyText);
    })
    .join('\n');
}

/** Links to the files of a message. Slack's exports have no bytes of files; their addresses need a log-in there. */
export function markdownLinksToSlackFiles(message: CheckedExportRow): string[] {
  return listObjects(message, 'files').flatMap(({ title, name, url_private: url, mode }) =>
    typeof url !== 'string' || mode === 'tombstone' || mode === 'hidden_by_limit'
      ? []
      : [`[${String(title || name || 'file').replace(/[[\]]/g, '')}](${url.replaceAll(' ', '%20')})`],
  );
}

function listObjects(message: CheckedExportRow, field: string): readonly JsonObject[] {
  const given = message.uncheckedValue(field);
  const objects = (Array.isArray(given) ? given : []).filter((one) => typeof one === 'object' && one !== null);
  return objects as readonly JsonObject[];
}

const isNonEmptyText = (value: unknown): value is string => typeof value === 'string' && value !== '';
