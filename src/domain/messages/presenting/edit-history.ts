/**
 * The edit history of a message in the API's form (messages.md § PATCH, § GET /messages/{id}/history). The functions
 * have no side effects.
 */
import type { JsonObject } from '#base';
import type { MessageBody, StoredMessage, StoredMessageEdit } from '../stored/message.js';
import { renderHtmlWordDiff } from './html-diff.js';

/** The API's version of the renderer: there has been only one. */
const ONLY_RENDERED_CONTENT_VERSION = 1;

const formatMovePreviousAndNewFields = ({ topic, stream }: StoredMessageEdit): JsonObject => ({
  ...(topic ? { prev_topic: topic.from, topic: topic.to } : {}),
  ...(stream ? { prev_stream: stream.from, stream: stream.to } : {}),
});

function formatEditHistoryEntryForApi(edit: StoredMessageEdit): JsonObject {
  const { user, at, content } = edit;
  return {
    user_id: user,
    timestamp: at,
    ...(content
      ? {
          prev_content: content.raw,
          prev_rendered_content: content.html,
          prev_rendered_content_version: ONLY_RENDERED_CONTENT_VERSION,
        }
      : {}),
    ...formatMovePreviousAndNewFields(edit),
  };
}

/**
 * Fields about edits in message objects; none if the message was never edited.
 *
 * @param shown true if the organization shows edit histories
 */
export function formatEditFieldsForApi({ edits }: MessageBody, shown: boolean): JsonObject {
  const [newest] = edits ?? [];
  if (!newest) return {};
  return {
    last_edit_timestamp: newest.at,
    ...(shown ? { edit_history: edits!.map(formatEditHistoryEntryForApi) } : {}),
  };
}

/** All versions of a message, oldest first. */
export function listMessageVersionsForApi({ sender, body }: StoredMessage): JsonObject[] {
  const versions: JsonObject[] = [];
  let { content, html, topic } = body;
  // Each edit holds the old values: walk back from the present ones.
  for (const edit of body.edits ?? []) {
    const before = edit.content;
    versions.push({
      content,
      rendered_content: html,
      timestamp: edit.at,
      topic,
      user_id: edit.user,
      ...(edit.topic ? { prev_topic: edit.topic.from } : {}),
      ...(before
        ? {
            prev_content: before.raw,
            prev_rendered_content: before.html,
            content_html_diff: renderHtmlWordDiff(before.html, html),
          }
        : {}),
      ...(edit.stream ? { prev_stream: edit.stream.from, stream: edit.stream.to } : {}),
    });
    if (edit.topic) topic = edit.topic.from;
    if (before) {
      content = before.raw;
      html = before.html;
    }
  }
  versions.push({ content, rendered_content: html, timestamp: body.sent, topic, user_id: sender });
  return versions.reverse();
}
