import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { core } from '../client/index.js';
import {
  type ComposeRequest,
  type Conversation,
  findExactNarrowConversation,
  findPositiveOperand,
  getOtherOrOwnUserIds,
  makeConversationKey,
  type OpenDraft,
} from '../core/index.js';
import type { TextEdit } from '../editing/index.js';
import { keepOverReloads, takeKept } from '../kit/index.js';
import type { OwnTypingNotices } from './typing-notices.js';

/** Where a message goes. The address may be half filled in. */
export type ComposeTarget =
  | { readonly kind: 'stream'; readonly stream: number | undefined; readonly topic: string }
  | { readonly kind: 'direct'; readonly users: readonly number[] };

/** Name that the server gives to the empty topic, where the organization allows one. */
export const NO_TOPIC_NAME = '(no topic)';

/** Key of the session storage that has the text during a reload. */
const KEPT_COMPOSE_TEXT_STORE_KEY = 'compose';

/** The event of a saved draft arrives within this time. */
const LEFT_DRAFT_PREFERENCE_MS = 10_000;

interface KeptComposeText {
  readonly user: number;
  readonly target: ComposeTarget;
  readonly content: string;
  readonly isSaved: boolean;
  readonly isChosen: boolean;
}

const EMPTY_STREAM_TARGET: ComposeTarget = { kind: 'stream', stream: undefined, topic: '' };

export const makeTargetOfConversation = (of: Conversation): ComposeTarget =>
  'users' in of
    ? { kind: 'direct', users: of.users }
    : { kind: 'stream', stream: of.stream, topic: of.topic === NO_TOPIC_NAME ? '' : of.topic };

/** @returns undefined while the address is not complete */
export function findConversationOfTarget(target: ComposeTarget): Conversation | undefined {
  if (target.kind === 'direct') {
    return target.users.length === 0 ? undefined : { users: getOtherOrOwnUserIds(target.users, core.state.me.id) };
  }
  if (target.stream === undefined) return undefined;
  return { stream: target.stream, topic: target.topic.trim() || NO_TOPIC_NAME };
}

const makeTargetKey = (target: ComposeTarget): string => {
  const of = findConversationOfTarget(target);
  return of ? makeConversationKey(of) : target.kind;
};

/** A file on its way to the server, or one that failed. */
export interface ComposeUpload {
  readonly id: number;
  /** Its text gets the link. */
  readonly draft: OpenDraft;
  readonly name: string;
  readonly size: number;
  readonly sentBytes: number;
  readonly error?: string;
  readonly cancel: () => void;
}

/**
 * State of the compose box.
 *
 * The box follows the view: in a conversation, it writes there and has the draft of that conversation. A text stays in
 * the box, with its address, in views of several conversations until the next conversation is opened. An address that
 * the user chose is kept as long as there is text. Each conversation has its own text, so navigation loses none.
 */
export class Composer {
  /** The account that the texts belong to. Another one that signs in on this page gets another composer. */
  readonly userId = core.state.me.userIdSignal.peek();
  /** Made by the open box: the first view has no use for it. */
  typingNotices: OwnTypingNotices | undefined;
  readonly isOpen = signal(false);
  readonly target = signal<ComposeTarget>(EMPTY_STREAM_TARGET);
  /** Whether the user chose the address. The box then shows it and does not follow the view. */
  readonly isTargetChosen = signal(false);
  readonly text = signal('');
  readonly error = signal<string | undefined>(undefined);
  /** Files of all drafts of this tab that are on their way, and failed ones until they are dismissed. */
  readonly uploads = signal<readonly ComposeUpload[]>([]);
  /** Whether the preview is shown in place of the text. */
  readonly isPreviewing = signal(false);
  readonly targetConversation: ReadonlySignal<Conversation | undefined> = computed(() =>
    findConversationOfTarget(this.target.value),
  );
  readonly #canSeePlaceOnScreen = computed(() => {
    const { value: route } = core.router.route;
    return route.view === 'narrow' && core.state.canSeePlacesOf(route.narrow);
  });
  /** The conversation on screen; undefined in views of several conversations, and where the user can't see it. */
  readonly viewedConversation: ReadonlySignal<Conversation | undefined> = computed(() => {
    const { value: route } = core.router.route;
    return route.view === 'narrow' && this.#canSeePlaceOnScreen.value
      ? findExactNarrowConversation(route.narrow)
      : undefined;
  });
  /** The text area, while it is shown. */
  textArea: HTMLTextAreaElement | undefined;
  /** Set with the text area, since it is part of the chunk of the open box. */
  #applyEdit: (area: HTMLTextAreaElement, edit: TextEdit) => void = () => {};
  /** Whether the text area takes the focus when it is mounted. */
  #focusesWhenMounted = false;
  #currentDraft: OpenDraft = core.draftService.openNewestOrNew(undefined);
  #switchCount = 0;
  /** Drafts that this tab has left, with the time. A draft left within 10 s is newer than the state. */
  readonly #leftDraftByTargetKey = new Map<string, { readonly draft: OpenDraft; readonly at: number }>();

  /** Follows the view, requests of other views, and drafts of other tabs. @returns a function that ends it */
  followViewRequestsAndDrafts(): () => void {
    this.#restoreKeptText();
    const ends = [
      effect(() => {
        void core.platform.address.hash.value;
        void this.#canSeePlaceOnScreen.value;
        untracked(() => this.#adoptViewedConversation());
      }),
      effect(() => {
        const request = core.sharedViewState.composeRequest.value;
        if (!request) return;
        core.sharedViewState.composeRequest.value = undefined;
        untracked(() => this.handleComposeRequest(request));
      }),
      this.#followStoredDrafts(),
      keepOverReloads(KEPT_COMPOSE_TEXT_STORE_KEY, () => this.#findTextToKeep()),
    ];
    return () => {
      for (const end of ends) end();
      this.#currentDraft.closeAndSaveNow();
    };
  }

  /** Begins a new message, for a key or a button. */
  beginMessage(kind: ComposeTarget['kind']): void {
    const route = core.router.route.peek();
    const viewed = this.viewedConversation.peek();
    let target: ComposeTarget = kind === 'direct' ? { kind, users: [] } : EMPTY_STREAM_TARGET;
    if (viewed && 'users' in viewed === (kind === 'direct')) target = makeTargetOfConversation(viewed);
    else if (route.view === 'narrow' && kind === 'stream' && this.#canSeePlaceOnScreen.peek()) {
      const stream = findPositiveOperand(route.narrow, 'stream');
      if (typeof stream === 'number') target = { kind, stream, topic: '' };
    }
    this.#switchToTarget(target, true);
    this.openAndFocus();
  }

  handleComposeRequest({ conversation, insertedText, inBackground, draftId }: ComposeRequest): void {
    if (draftId !== undefined) {
      this.#resumeDraft(draftId);
      return;
    }
    if (inBackground) {
      const draft = core.draftService.openEmpty(conversation);
      const append = (before: string): string => `${before && '\n'}${insertedText}`;
      if (this.isInBox(draft)) this.replaceText(this.text.peek() + append(this.text.peek()));
      else this.appendToLeftDraft(draft, append);
      return;
    }
    if (conversation)
      this.#switchToTarget(
        makeTargetOfConversation(conversation),
        makeTargetKey(makeTargetOfConversation(conversation)) !== this.#viewedConversationKey(),
      );
    // A forwarded message: the user chooses the address.
    else if (insertedText !== undefined) this.isTargetChosen.value = true;
    this.openAndFocus();
    if (insertedText !== undefined) this.appendAndFocus(insertedText);
  }

  /** Continues a draft that was chosen in the list of drafts. */
  #resumeDraft(id: number): void {
    this.#closeAndRememberDraft();
    const draft = core.draftService.openStoredById(id);
    const target = draft.target ? makeTargetOfConversation(draft.target) : EMPTY_STREAM_TARGET;
    this.target.value = target;
    this.isTargetChosen.value = makeTargetKey(target) !== this.#viewedConversationKey();
    this.error.value = undefined;
    this.#currentDraft = draft;
    this.#showText(draft.content.peek());
    this.openAndFocus();
  }

  openAndFocus(): void {
    this.isOpen.value = true;
    this.isPreviewing.value = false;
    this.focusNowOrWhenMounted();
  }

  focusNowOrWhenMounted(): void {
    this.#focusesWhenMounted = this.textArea === undefined;
    this.textArea?.focus({ preventScroll: true });
  }

  /** Called when the text area is in the document. @returns a function to call when it is removed */
  mountTextArea(area: HTMLTextAreaElement, applyEdit: (area: HTMLTextAreaElement, edit: TextEdit) => void): () => void {
    this.textArea = area;
    this.#applyEdit = applyEdit;
    area.value = this.text.peek();
    area.setSelectionRange(area.value.length, area.value.length);
    if (this.#focusesWhenMounted) area.focus({ preventScroll: true });
    this.#focusesWhenMounted = false;
    return () => {
      this.textArea = undefined;
    };
  }

  /** Goes back to the conversation on screen. The text stays as a draft. */
  resetToViewedConversation(): void {
    this.#closeAndRememberDraft();
    const viewed = this.viewedConversation.peek();
    this.isTargetChosen.value = false;
    this.isOpen.value = viewed !== undefined;
    this.#setTargetAndItsDraft(viewed ? makeTargetOfConversation(viewed) : EMPTY_STREAM_TARGET);
    this.textArea?.blur();
  }

  /** Switches to another conversation and its draft. The text before stays as a draft. */
  #switchToTarget(target: ComposeTarget, chosen: boolean): void {
    this.isTargetChosen.value = chosen;
    if (makeTargetKey(this.target.peek()) === makeTargetKey(target)) return;
    this.#closeAndRememberDraft();
    this.#setTargetAndItsDraft(target);
  }

  /** The user changes the address of the text. */
  changeTargetByUser(target: ComposeTarget): void {
    const [before, after] = [makeTargetKey(this.target.peek()), makeTargetKey(target)];
    this.isTargetChosen.value = true;
    this.error.value = undefined;
    if (before === after) {
      this.target.value = target;
    } else if (this.text.peek().trim() === '' && !this.uploads.peek().some(({ draft }) => this.isInBox(draft))) {
      this.#closeAndRememberDraft();
      this.#setTargetAndItsDraft(target);
    } else {
      // The text and its files go to the new address.
      this.#switchCount++;
      this.target.value = target;
      this.#currentDraft.setTarget(findConversationOfTarget(target));
      this.typingNotices?.sendStopIfTyping();
    }
  }

  get currentDraft(): OpenDraft {
    return this.#currentDraft;
  }

  /** Number of times that a text has left the box or got another address: equal as long as it stays. */
  get switchCount(): number {
    return this.#switchCount;
  }

  /** Whether the box has the draft, or another one of the same conversation. */
  isInBox(draft: OpenDraft): boolean {
    const to = this.targetConversation.value;
    if (draft === this.#currentDraft) return true;
    return (
      to !== undefined && draft.target !== undefined && makeConversationKey(to) === makeConversationKey(draft.target)
    );
  }

  /** Appends to a draft that the box has left: to the newest one of its conversation. */
  appendToLeftDraft(draft: OpenDraft, makeText: (before: string) => string): void {
    const { target } = draft;
    const newest = target ? this.#openNewestDraft(makeTargetOfConversation(target)) : draft;
    const before = newest.content.peek();
    newest.setContent(before + makeText(before));
    newest.closeAndSaveNow();
    if (target) this.#rememberDraft(makeConversationKey(target), newest);
  }

  /** Called at every input of the user. */
  handleTypedText(text: string): void {
    this.text.value = text;
    this.error.value = undefined;
    this.#currentDraft.setContent(text);
    const to = this.targetConversation.peek();
    if (text.trim() === '') this.typingNotices?.sendStopIfTyping();
    else if (to) this.typingNotices?.noteKeystroke(to);
  }

  replaceText(text: string): void {
    if (this.textArea) {
      this.textArea.value = text;
      this.textArea.setSelectionRange(text.length, text.length);
    }
    this.text.value = text;
    this.#currentDraft.setContent(text);
  }

  /** Changes a part of the text, in a way that the browser can undo. */
  applyUndoableEdit(edit: TextEdit): void {
    if (this.textArea) this.#applyEdit(this.textArea, edit);
  }

  /** Inserts a text at the caret. */
  insertAtCaret(text: string): void {
    const { textArea } = this;
    if (!textArea) {
      this.replaceText(this.text.peek() + text);
      return;
    }
    const [from, to] = [textArea.selectionStart, textArea.selectionEnd];
    this.applyUndoableEdit({
      from,
      to,
      insertedText: text,
      selectionStart: from + text.length,
      selectionEnd: from + text.length,
    });
  }

  /** Appends a text, on a line of its own if it has several. */
  appendAndFocus(text: string): void {
    const before = this.text.peek();
    const gap = before === '' ? '' : before.endsWith('\n') ? '' : text.includes('\n') ? '\n' : ' ';
    this.replaceText(before + gap + text);
    this.focusNowOrWhenMounted();
  }

  /** Empties the box after the text was sent or scheduled. */
  clearAfterSending(): void {
    this.#switchCount++;
    this.typingNotices?.sendStopIfTyping();
    this.#currentDraft.discardDraft();
    this.#leftDraftByTargetKey.delete(makeTargetKey(this.target.peek()));
    // The server may still list the deleted draft, which must not come back into the box.
    this.#currentDraft = core.draftService.openEmpty(this.targetConversation.peek());
    this.text.value = '';
    this.error.value = undefined;
    this.isPreviewing.value = false;
    if (this.textArea) this.textArea.value = '';
  }

  #viewedConversationKey(): string | undefined {
    const viewed = this.viewedConversation.peek();
    return viewed && makeConversationKey(viewed);
  }

  #adoptViewedConversation(): void {
    const viewed = this.viewedConversation.peek();
    const hasText = this.text.peek().trim() !== '';
    if (
      viewed &&
      (!this.isTargetChosen.peek() ||
        !hasText ||
        makeTargetKey(makeTargetOfConversation(viewed)) === makeTargetKey(this.target.peek()))
    ) {
      this.isTargetChosen.value = false;
      if (makeConversationKey(viewed) !== makeTargetKey(this.target.peek())) {
        this.#closeAndRememberDraft();
        this.#setTargetAndItsDraft(makeTargetOfConversation(viewed));
      }
      this.isOpen.value = true;
    } else if (!viewed && !hasText && this.isOpen.peek()) {
      this.#closeAndRememberDraft();
      this.#setTargetAndItsDraft(EMPTY_STREAM_TARGET);
      this.isOpen.value = false;
    }
  }

  #closeAndRememberDraft(): void {
    this.#switchCount++;
    this.typingNotices?.sendStopIfTyping();
    this.#currentDraft.closeAndSaveNow();
    this.#rememberDraft(makeTargetKey(this.target.peek()), this.#currentDraft);
  }

  #rememberDraft(targetKey: string, draft: OpenDraft): void {
    this.#leftDraftByTargetKey.set(targetKey, { draft, at: core.platform.now() });
  }

  /** @returns the draft of the address: that of this tab while it is not saved, else the server's */
  #openNewestDraft(target: ComposeTarget): OpenDraft {
    const left = this.#leftDraftByTargetKey.get(makeTargetKey(target));
    const isNewer =
      left !== undefined &&
      (left.draft.phase.peek() !== 'saved' || core.platform.now() - left.at < LEFT_DRAFT_PREFERENCE_MS);
    return isNewer ? left.draft : core.draftService.openNewestOrNew(findConversationOfTarget(target));
  }

  #setTargetAndItsDraft(target: ComposeTarget): void {
    this.target.value = target;
    this.error.value = undefined;
    this.isPreviewing.value = false;
    this.#currentDraft = this.#openNewestDraft(target);
    this.#showText(this.#currentDraft.content.peek());
  }

  #showText(text: string): void {
    this.text.value = text;
    if (!this.textArea) return;
    this.textArea.value = text;
    this.textArea.setSelectionRange(text.length, text.length);
  }

  /**
   * Shows a draft that another tab or device has changed or deleted, if this page does not have the focus, as soon as
   * the own text is saved.
   */
  #followStoredDrafts(): () => void {
    let last: string | undefined;
    return effect(() => {
      const stored = core.draftService.findNewestFor(this.targetConversation.value);
      void core.state.ownLists.draftsNewestFirst.value;
      const now = stored && `${stored.id} ${stored.content}`;
      if (now === last || this.#currentDraft.phase.value !== 'saved') return;
      last = now;
      if (document.hasFocus()) return;
      if ((stored?.content ?? '') === this.text.peek()) return;
      this.#currentDraft = core.draftService.openNewestOrNew(this.targetConversation.peek());
      this.#showText(this.#currentDraft.content.peek());
    });
  }

  /** Address and text for the time of a reload. The server may not have the text of the last second. */
  #findTextToKeep(): KeptComposeText | undefined {
    const content = this.text.peek();
    if (content.trim() === '') return undefined;
    const isSaved = this.#currentDraft.phase.peek() === 'saved';
    const isChosen = this.isTargetChosen.peek();
    return { user: this.userId, target: this.target.peek(), content, isSaved, isChosen };
  }

  #restoreKeptText(): void {
    const kept = takeKept<KeptComposeText>(KEPT_COMPOSE_TEXT_STORE_KEY, this.userId);
    if (!kept) return;
    const { target, content, isSaved, isChosen } = kept;
    this.target.value = target;
    this.isTargetChosen.value = isChosen;
    this.isOpen.value = true;
    this.#currentDraft = core.draftService.openNewestOrNew(findConversationOfTarget(target));
    if (isSaved && this.#currentDraft.content.peek() !== '') this.#showText(this.#currentDraft.content.peek());
    else this.replaceText(content);
  }
}

let currentComposer: Composer | undefined;

/** The compose box of this page and user. */
export function getComposerForCurrentUser(): Composer {
  const user = core.state.me.id;
  currentComposer = currentComposer?.userId === user ? currentComposer : new Composer();
  return currentComposer;
}
