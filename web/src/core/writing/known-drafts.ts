import type { QueueEvent } from '../../contract/index.js';
import type { OwnListsState, StoredDraft } from '../state/own.js';

export type DraftsEvent = Extract<QueueEvent, { readonly type: 'drafts' }>;

/** The server leaves at least this much of a long text as it is. */
const MAX_COMPARED_CHARACTERS = 9_980;

/** A text as it is compared: the server removes blanks at the ends, and cuts a text of more than 10,000 characters. */
const toComparedText = (text: string): string => text.trim().slice(0, MAX_COMPARED_CHARACTERS);

/** A request on the way to the server. */
interface SentText {
  /** undefined: the deletion. */
  readonly text: string | undefined;
  /** The last text of this tab, which a deletion removes. A text that it contains is not lost. */
  readonly ownText: string;
}

interface KnownTexts {
  /** The text that this tab has shown, or the last one that it has written and whose event has come. */
  shown: string;
  /** Requests until their events come. */
  readonly sent: SentText[];
}

/**
 * Texts of stored drafts that this tab knows, by draft. Any other text of a draft was written in another tab or on
 * another device: this tab must not replace or delete it, unless its own text contains the other one. The server
 * compares nothing, so a request of this tab can cross one of another tab; the order of the events then shows which
 * text was replaced or deleted.
 */
export class KnownDraftTexts {
  readonly #knownById = new Map<number, KnownTexts>();

  constructor(private readonly lists: OwnListsState) {}

  noteShown(id: number, text: string): void {
    const known = this.#knownById.get(id);
    const shown = toComparedText(text);
    if (known) known.shown = shown;
    else this.#knownById.set(id, { shown, sent: [] });
  }

  /** @param ownText the last text of this tab; the request deletes the draft if `text` is undefined */
  noteSent(id: number, text: string | undefined, ownText: string): void {
    const sent = this.#knownById.get(id)?.sent;
    const compared = text === undefined ? undefined : toComparedText(text);
    // A request without an answer is repeated.
    if (sent && (sent.length === 0 || sent.at(-1)?.text !== compared)) sent.push({ text: compared, ownText });
  }

  /** Whether the stored text was written elsewhere, and this tab has neither shown it nor has it in its own text. */
  isWrittenElsewhere(id: number, ownText: string): boolean {
    const stored = this.lists.draftsById.peek().get(id);
    const known = this.#knownById.get(id);
    if (!stored || !known) return false;
    const text = toComparedText(stored.content);
    if (text === known.shown || ownText.includes(text)) return false;
    return !known.sent.some((one) => one.text === text);
  }

  /**
   * Called before an event changes the state.
   * @returns the draft with a text from elsewhere that a request of this tab has replaced or deleted
   */
  noteEventAndFindLostDraft(event: DraftsEvent): StoredDraft | undefined {
    if (event.op === 'add') return undefined;
    const [id, text] =
      event.op === 'remove' ? [event.draft_id, undefined] : [event.draft.id ?? 0, toComparedText(event.draft.content)];
    const known = this.#knownById.get(id);
    if (!known) return undefined;
    const at = known.sent.findIndex((one) => one.text === text);
    const own = known.sent[at];
    const lost = own && this.isWrittenElsewhere(id, own.ownText) ? this.lists.draftsById.peek().get(id) : undefined;
    if (text === undefined) this.#knownById.delete(id);
    else if (own) known.shown = text;
    known.sent.splice(0, at + 1);
    return lost;
  }
}
