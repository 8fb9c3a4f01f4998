/** Polls, to-do lists and other widgets of messages, with what users added to them: conclave_submessage. */
import { type JsonObject, parseJsonText } from '#base';
import {
  makeCheckedNextSubmessage,
  type StoredSubmessage,
  WIDGET_SUBMESSAGE_TYPE,
  widgetTypeOfMessage,
} from '#domain/messages';
import { ApiError } from '#model/errors';
import type { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';

export const SUBMESSAGE_TABLE = 'conclave_submessage';
/** Matches a submessage whose key names a user: `user,index` in a vote, `index,user` of a task that was struck. */
const KEY_PATTERN_BY_TYPE: Readonly<Record<string, RegExp>> = {
  vote: /^()(\d{1,15})(,\d{1,9})$/,
  strike: /^(\d{1,15},)(\d{1,15})()$/,
};

type AddedSubmessage = Pick<StoredSubmessage, 'sender' | 'type' | 'content'>;

/** Submessages of all messages, which are read before the first message. */
export class ExportedSubmessages {
  readonly #addedByMessageId = new Map<number, AddedSubmessage[]>();

  constructor(private readonly draft: ImportedOrganizationDraft) {}

  addSubmessageRow(row: CheckedExportRow): void {
    const { messageIdMap, userIdMap } = this.draft;
    const message = messageIdMap.findNewId(row.requireNonNegativeInteger('message'));
    const sender = userIdMap.findNewId(row.requireNonNegativeInteger('sender'));
    const content = convertUserIdInKey(row.textOrDefault('content'), this.draft);
    if (message === undefined || sender === undefined || content === undefined) {
      this.#countAsLeftOut();
      return;
    }
    const added = this.#addedByMessageId.get(message) ?? [];
    added.push({ sender, type: row.textOrDefault('msg_type'), content });
    this.#addedByMessageId.set(message, added);
  }

  /** Makes the submessages of a message: those that the API would take. @returns undefined if the message has none */
  makeSubmessagesOf(message: number, sender: number): readonly StoredSubmessage[] | undefined {
    const added = this.#addedByMessageId.get(message);
    if (!added) return undefined;
    const submessages: StoredSubmessage[] = [];
    const checked = { sender, body: { submessages } };
    // Parsed once for all rows: the widget may be large, and the message may have thousands of rows.
    let widget: unknown;
    for (const one of added) {
      try {
        submessages.push(makeCheckedNextSubmessage(checked, one, widget));
        if (widget === undefined && one.type === WIDGET_SUBMESSAGE_TYPE) widget = widgetTypeOfMessage(checked) ?? null;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#countAsLeftOut();
      }
    }
    return submessages;
  }

  #countAsLeftOut(): void {
    this.draft.adjustedRowCounts.addCount('part of a poll, to-do list or form');
  }
}

/** @returns undefined if the key names a user whom the export does not have */
function convertUserIdInKey(content: string, draft: ImportedOrganizationDraft): string | undefined {
  const data = parseJsonText(content)?.value;
  if (typeof data !== 'object' || data === null) return content;
  const { type, key } = data as JsonObject;
  if (typeof key !== 'string' || typeof type !== 'string' || !Object.hasOwn(KEY_PATTERN_BY_TYPE, type)) return content;
  const [whole, before, user, after] = KEY_PATTERN_BY_TYPE[type]!.exec(key) ?? [];
  if (whole === undefined) return content;
  const id = draft.userIdMap.findNewId(Number(user));
  return id === undefined ? undefined : content.replace(`"${whole}"`, `"${before}${id}${after}"`);
}

export const makeSubmessageRow = (
  id: number,
  message: number,
  { sender, type, content }: StoredSubmessage,
): JsonObject => ({ id, message, sender, msg_type: type, content });
