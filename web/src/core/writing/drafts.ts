import { type ReadonlySignal, signal } from '@preact/signals-core';
import { type Api, ApiFailure } from '../api.js';
import { type Conversation, conversationKey, getOtherUserIds } from '../narrow.js';
import type { Platform, Timer } from '../ports.js';
import type { StoredDraft } from '../state/own.js';
import type { State } from '../state/state.js';
import { UnsavedTexts } from './unsaved.js';

const SAVE_AFTER_MS = 1_000;
const SAVE_RETRY_MS = 10_000;

/** Where a draft goes. Without users or a stream it has no address yet. */
export type DraftTarget = Conversation | undefined;

/**
 * Drafts are kept on the server while the user types, so other tabs and devices have them.
 *
 *     const draft = drafts.open(conversation);   // continues the newest draft for this conversation, if there is one
 *     draft.content.value                        // what the compose box shows at first
 *     draft.write(text)                          // at every keystroke; saved one second after the last one
 *     draft.move(otherConversation)
 *     draft.discard()                            // sent, or thrown away
 *     draft.close()                              // the box closes: saves what is not saved yet
 *
 * A text that the server doesn't have stays in this browser (unsaved.ts).
 */
export class Drafts {
  readonly #unsavedTexts: UnsavedTexts;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly state: State,
  ) {
    this.#unsavedTexts = new UnsavedTexts(platform);
  }

  open(target: DraftTarget): OpenDraft {
    return new OpenDraft(this.platform, this.api, this.state, this.#unsavedTexts, target, this.newestFor(target));
  }

  /** Opens one of the list. */
  resume(id: number): OpenDraft {
    const stored = this.state.ownLists.draftsById.peek().get(id);
    return new OpenDraft(
      this.platform,
      this.api,
      this.state,
      this.#unsavedTexts,
      stored && this.getDraftTarget(stored),
      stored,
    );
  }

  newestFor(target: DraftTarget): StoredDraft | undefined {
    if (target === undefined) return undefined;
    const key = conversationKey(target);
    return this.state.ownLists.drafts.peek().find((draft) => {
      const of = this.getDraftTarget(draft);
      return of !== undefined && conversationKey(of) === key;
    });
  }

  getDraftTarget({ type, to, topic }: StoredDraft): DraftTarget {
    const [first] = to;
    if (first === undefined) return undefined;
    if (type === 'stream') return { stream: first, topic };
    return type === 'private' ? { users: getOtherUserIds(to, this.state.me.userId.peek()) } : undefined;
  }

  async delete(id: number): Promise<void> {
    await this.api.delete('/drafts/{draft_id}', { draft_id: id });
  }
}

export class OpenDraft {
  readonly #content = signal('');
  /** `saved` also means: there is nothing to save. */
  readonly phase = signal<'saved' | 'writing' | 'saving' | 'unsaved'>('saved');
  #id: number | undefined;
  #target: DraftTarget;
  #timer: Timer | undefined;
  #lastSave: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly state: State,
    private readonly unsaved: UnsavedTexts,
    target: DraftTarget,
    stored: StoredDraft | undefined,
  ) {
    this.#target = target;
    this.#id = stored?.id;
    this.#content.value = this.unsaved.get(this.#unsavedTextKey) ?? stored?.content ?? '';
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
    this.#scheduleSave(SAVE_AFTER_MS);
  }

  setTarget(target: DraftTarget): void {
    this.unsaved.set(this.#unsavedTextKey, '');
    this.#target = target;
    if (this.#content.peek().trim() !== '') this.#scheduleSave(SAVE_AFTER_MS);
  }

  discard(): void {
    this.#content.value = '';
    this.#isClosed = true;
    this.#scheduleSave(0);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#scheduleSave(0);
  }

  #scheduleSave(ms: number, phase: 'writing' | 'unsaved' = 'writing'): void {
    if (this.#timer !== undefined) this.platform.clearTimer(this.#timer);
    this.phase.value = phase;
    this.#timer = this.platform.setTimer(() => {
      this.#timer = undefined;
      this.#lastSave = this.#lastSave.then(() => this.#save());
    }, ms);
  }

  /** Key under which the text stays in this browser until the server has it: account and conversation. */
  get #unsavedTextKey(): string {
    const where = this.#target === undefined ? '' : conversationKey(this.#target);
    return `${this.state.me.userId.peek()}/${where}`;
  }

  async #save(): Promise<void> {
    const key = this.#unsavedTextKey;
    this.unsaved.set(key, this.#content.peek());
    if (this.state.me.settings.peek().enable_drafts_synchronization === false || this.state.me.userId.peek() === 0) {
      this.phase.value = 'saved';
      return;
    }
    this.phase.value = 'saving';
    try {
      await this.#sendDraftToServer();
      if (this.phase.peek() !== 'saving') return;
      this.unsaved.set(key, '');
      this.phase.value = 'saved';
    } catch (error) {
      // A draft that was deleted elsewhere while the user went on with it is a new one.
      if (error instanceof ApiFailure && error.status === 404) this.#id = undefined;
      if (this.phase.peek() === 'saving') this.phase.value = 'unsaved';
      const lasts = error instanceof ApiFailure && error.status !== 404 && error.retryAfterMs === undefined;
      if (!lasts && this.#timer === undefined) {
        this.#scheduleSave(error instanceof ApiFailure ? SAVE_AFTER_MS : SAVE_RETRY_MS, 'unsaved');
      }
    }
  }

  async #sendDraftToServer(): Promise<void> {
    const content = this.#content.peek();
    const id = this.#id;
    if (content.trim() === '') {
      this.#id = undefined;
      if (id !== undefined) await this.api.delete('/drafts/{draft_id}', { draft_id: id });
      return;
    }
    const timestamp = Math.floor(this.platform.now() / 1000);
    const draft = { ...makeAddressFields(this.#target), content, timestamp };
    if (id !== undefined) await this.api.patch('/drafts/{draft_id}', { draft_id: id, draft });
    else {
      const { ids } = await this.api.post('/drafts', { drafts: [draft] });
      this.#id = ids[0];
    }
    if (this.#isClosed && this.#content.peek() === '') this.#scheduleSave(0);
  }
}

function makeAddressFields(target: DraftTarget): { type: '' | 'stream' | 'private'; to: number[]; topic: string } {
  if (target === undefined) return { type: '', to: [], topic: '' };
  return 'users' in target
    ? { type: 'private', to: [...target.users], topic: '' }
    : { type: 'stream', to: [target.stream], topic: target.topic };
}
