import { effect, type ReadonlySignal, signal } from '@preact/signals-core';
import { type ApiClient, ApiFailure } from '../api.js';
import { type Conversation, getOtherOrOwnUserIds, makeConversationKey } from '../narrow.js';
import type { Platform, TimerHandle } from '../ports.js';
import type { StoredDraft } from '../state/own.js';
import type { ClientState } from '../state/state.js';
import { type DraftsEvent, KnownDraftTexts } from './known-drafts.js';
import { UnsavedDrafts } from './unsaved.js';

const SAVE_AFTER_KEYSTROKE_MS = 1_000;
const SAVE_RETRY_MS = 10_000;

/** Conversation of a draft; undefined while it has no address. */
export type DraftTarget = Conversation | undefined;

/**
 * Drafts are kept on the server while the user types, so other tabs and devices have them.
 *
 *     const draft = draftService.openNewestOrNew(conversation);   // the newest draft for it, if there is one
 *     const draft = draftService.openEmpty(conversation);         // another one
 *     draft.content.value                    // text that the compose box shows at first
 *     draft.setContent(text)                 // at every keystroke; saved one second after the last one
 *     draft.setTarget(otherConversation)
 *     draft.discardDraft()                   // sent, or thrown away
 *     draft.closeAndSaveNow()                // the box closes
 *
 * A text that was written elsewhere, and that this tab has not shown, is neither replaced nor deleted: the text of this
 * tab becomes a draft of its own (known-drafts.ts).
 *
 * A text that the server doesn't have stays in this browser (unsaved.ts). A draft belongs to the account that opened
 * it; it is not saved on the server while another one is signed in.
 */
export class DraftService {
  readonly #unsavedDrafts: UnsavedDrafts;
  readonly #knownTexts: KnownDraftTexts;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly signedInUserId: ReadonlySignal<number>,
  ) {
    this.#unsavedDrafts = new UnsavedDrafts(platform);
    this.#knownTexts = new KnownDraftTexts(state.ownLists);
    effect(() => {
      const own = `${state.me.userIdSignal.value}/`;
      state.ownLists.unsavedDrafts.value = [...this.#unsavedDrafts.byKey.value]
        .filter(([key]) => key.startsWith(own))
        .map(([, draft]) => draft)
        .reverse();
    });
  }

  /** Called before an event changes the state. A text from elsewhere that this tab has removed is saved again. */
  noteEvent(event: DraftsEvent): void {
    const lost = this.#knownTexts.noteEventAndFindLostDraft(event);
    if (!lost) return;
    const draft = this.openEmpty(this.getDraftTarget(lost));
    draft.setContent(lost.content);
    draft.closeAndSaveNow();
  }

  openNewestOrNew(target: DraftTarget): OpenDraft {
    return this.#open(target, this.findNewestFor(target));
  }

  /** Opens a new draft without a text, whatever is stored for its conversation. */
  openEmpty(target: DraftTarget): OpenDraft {
    return this.#open(target, undefined, '');
  }

  /** Opens a draft of the list. */
  openStoredById(id: number): OpenDraft {
    const { draftsById, unsavedDrafts } = this.state.ownLists;
    const unsaved = unsavedDrafts.peek().find((draft) => draft.id === id);
    if (unsaved) return this.openNewestOrNew(this.getDraftTarget(unsaved));
    const stored = draftsById.peek().get(id);
    return this.#open(stored && this.getDraftTarget(stored), stored);
  }

  /** @param content the unsaved or stored text unless it is given */
  #open(target: DraftTarget, stored: StoredDraft | undefined, content?: string): OpenDraft {
    const { platform, api, state, signedInUserId } = this;
    const texts = { unsaved: this.#unsavedDrafts, known: this.#knownTexts };
    return new OpenDraft(platform, api, state, signedInUserId, texts, target, stored, content);
  }

  findNewestFor(target: DraftTarget): StoredDraft | undefined {
    if (target === undefined) return undefined;
    const key = makeConversationKey(target);
    return this.state.ownLists.draftsNewestFirst.peek().find((draft) => {
      const of = this.getDraftTarget(draft);
      return of !== undefined && makeConversationKey(of) === key;
    });
  }

  getDraftTarget({ type, to, topic }: StoredDraft): DraftTarget {
    const [first] = to;
    if (first === undefined) return undefined;
    if (type === 'stream') return { stream: first, topic };
    return type === 'private' ? { users: getOtherOrOwnUserIds(to, this.state.me.userIdSignal.peek()) } : undefined;
  }

  /** Deletes a draft with the text that the list of drafts shows. */
  async delete(id: number): Promise<void> {
    for (const [key, draft] of this.#unsavedDrafts.byKey.peek())
      if (draft.id === id) return this.#unsavedDrafts.setOrForget(key, { ...draft, content: '' });
    const stored = this.state.ownLists.draftsById.peek().get(id);
    if (stored) this.#knownTexts.noteShown(id, stored.content);
    this.#knownTexts.noteSent(id, undefined, stored?.content ?? '');
    await this.api.delete('/drafts/{draft_id}', { draft_id: id });
  }
}

export class OpenDraft {
  readonly #content = signal('');
  /** `saved`: there is nothing to save. */
  readonly phase = signal<'saved' | 'writing' | 'saving' | 'unsaved'>('saved');
  readonly #userId: number;
  #storedId: number | undefined;
  /** The last text that was not empty: what the user sends or discards when the draft is emptied. */
  #lastText: string;
  #target: DraftTarget;
  #saveTimer: TimerHandle | undefined;
  #saveChain: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly signedInUserId: ReadonlySignal<number>,
    private readonly texts: { readonly unsaved: UnsavedDrafts; readonly known: KnownDraftTexts },
    target: DraftTarget,
    stored: StoredDraft | undefined,
    content: string | undefined,
  ) {
    this.#userId = state.me.userIdSignal.peek();
    this.#target = target;
    this.#storedId = stored?.id;
    this.#content.value = content ?? this.texts.unsaved.getText(this.#unsavedKey) ?? stored?.content ?? '';
    this.#lastText = this.#content.peek();
    if (stored) this.texts.known.noteShown(stored.id, stored.content);
  }

  get content(): ReadonlySignal<string> {
    return this.#content;
  }

  get target(): DraftTarget {
    return this.#target;
  }

  setContent(content: string): void {
    if (content === this.#content.peek()) return;
    this.#content.value = content;
    if (content.trim() !== '') this.#lastText = content;
    this.#scheduleSave(SAVE_AFTER_KEYSTROKE_MS);
  }

  setTarget(target: DraftTarget): void {
    this.#keepUnsaved('');
    this.#target = target;
    if (this.#content.peek().trim() !== '') this.#scheduleSave(SAVE_AFTER_KEYSTROKE_MS);
  }

  discardDraft(): void {
    this.#content.value = '';
    this.#isClosed = true;
    this.#scheduleSave(0);
  }

  closeAndSaveNow(): void {
    this.#isClosed = true;
    if (this.#saveTimer !== undefined) this.#scheduleSave(0);
  }

  #scheduleSave(ms: number, phase: 'writing' | 'unsaved' = 'writing'): void {
    this.platform.clearTimer(this.#saveTimer);
    this.phase.value = phase;
    this.#saveTimer = this.platform.setTimer(() => {
      this.#saveTimer = undefined;
      this.#saveChain = this.#saveChain.then(() => this.#saveLocallyThenOnServer());
    }, ms);
  }

  /** Key under which the text stays in this browser until the server has it: account and conversation. */
  get #unsavedKey(): string {
    const where = this.#target === undefined ? '' : makeConversationKey(this.#target);
    return `${this.#userId}/${where}`;
  }

  #makeDraft(content: string): Omit<StoredDraft, 'id'> {
    return { ...makeDraftAddressFields(this.#target), content, timestamp: Math.floor(this.platform.now() / 1000) };
  }

  /** @param content an empty one forgets the draft */
  #keepUnsaved(content: string): void {
    this.texts.unsaved.setOrForget(this.#unsavedKey, this.#makeDraft(content));
  }

  async #saveLocallyThenOnServer(): Promise<void> {
    this.#keepUnsaved(this.#content.peek());
    if (this.signedInUserId.peek() !== this.#userId) {
      this.phase.value = 'unsaved';
      return;
    }
    if (this.state.me.settings.peek().enable_drafts_synchronization === false || this.#userId === 0) {
      this.phase.value = 'saved';
      return;
    }
    this.phase.value = 'saving';
    try {
      await this.#putOrDeleteOnServer();
      if (this.phase.peek() !== 'saving') return;
      this.#keepUnsaved('');
      this.phase.value = 'saved';
    } catch (error) {
      // The draft was deleted elsewhere, so it is saved as a new one.
      if (error instanceof ApiFailure && error.status === 404) this.#storedId = undefined;
      if (this.phase.peek() === 'saving') this.phase.value = 'unsaved';
      const lasts = error instanceof ApiFailure && error.status !== 404 && error.retryAfterMs === undefined;
      if (!lasts && this.#saveTimer === undefined) {
        this.#scheduleSave(error instanceof ApiFailure ? SAVE_AFTER_KEYSTROKE_MS : SAVE_RETRY_MS, 'unsaved');
      }
    }
  }

  async #putOrDeleteOnServer(): Promise<void> {
    const content = this.#content.peek();
    const { known } = this.texts;
    const isEmpty = content.trim() === '';
    let id = this.#storedId;
    if (id !== undefined && known.isWrittenElsewhere(id, this.#lastText)) id = undefined;
    if (id !== undefined) known.noteSent(id, isEmpty ? undefined : content, this.#lastText);
    this.#storedId = isEmpty ? undefined : id;
    if (isEmpty) {
      if (id !== undefined) await this.api.delete('/drafts/{draft_id}', { draft_id: id });
      return;
    }
    const draft = this.#makeDraft(content);
    if (id !== undefined) await this.api.patch('/drafts/{draft_id}', { draft_id: id, draft });
    else {
      const { ids } = await this.api.post('/drafts', { drafts: [draft] });
      this.#storedId = ids[0]!;
      known.noteShown(this.#storedId, content);
    }
    if (this.#isClosed && this.#content.peek() === '') this.#scheduleSave(0);
  }
}

function makeDraftAddressFields(target: DraftTarget): { type: '' | 'stream' | 'private'; to: number[]; topic: string } {
  if (target === undefined) return { type: '', to: [], topic: '' };
  return 'users' in target
    ? { type: 'private', to: [...target.users], topic: '' }
    : { type: 'stream', to: [target.stream], topic: target.topic };
}
