import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { core } from '../client/index.js';
import {
  type ComposeRequest,
  type Conversation,
  conversationKey,
  findNarrowConversation,
  findOperand,
  getOtherUserIds,
  type OpenDraft,
  type Route,
} from '../core/index.js';
import { applyEdit } from './area.js';
import type { TextEdit } from './edits.js';

/** Where a message goes. The address may be half filled in. */
export type ComposeTarget =
  | { readonly kind: 'stream'; readonly stream: number | undefined; readonly topic: string }
  | { readonly kind: 'direct'; readonly users: readonly number[] };

/** Topic of a message without one, where the organization allows that. */
export const NO_TOPIC = '(no topic)';

/** The text is kept here while the page is loaded again. */
const KEPT_TEXT_STORE_KEY = 'compose';

/** The event of a saved draft comes within this time. */
const DRAFT_EVENT_TIMEOUT_MS = 10_000;

interface KeptComposeText {
  readonly user: number;
  readonly target: ComposeTarget;
  readonly content: string;
  readonly isSaved: boolean;
}

const EMPTY_STREAM_TARGET: ComposeTarget = { kind: 'stream', stream: undefined, topic: '' };

export const makeComposeTarget = (of: Conversation): ComposeTarget =>
  'users' in of
    ? { kind: 'direct', users: of.users }
    : { kind: 'stream', stream: of.stream, topic: of.topic === NO_TOPIC ? '' : of.topic };

/** @returns undefined while the address is not complete */
export function conversationOfTarget(target: ComposeTarget): Conversation | undefined {
  if (target.kind === 'direct') {
    return target.users.length === 0 ? undefined : { users: getOtherUserIds(target.users, core.state.me.id) };
  }
  if (target.stream === undefined) return undefined;
  return { stream: target.stream, topic: target.topic.trim() || NO_TOPIC };
}

const makeTargetKey = (target: ComposeTarget): string => {
  const of = conversationOfTarget(target);
  return of ? conversationKey(of) : target.kind;
};

/**
 * State of the compose box.
 *
 * The box follows the view: in a conversation it writes there, with the draft of that conversation. An address that the
 * user chose (`chosen`) stays as long as there is text. Texts are kept by conversation, so no navigation loses one.
 */
export class Composer {
  /** Texts are those of this user; the next one who signs in on this page must not see them. */
  readonly userId = core.state.me.userId.peek();
  readonly isOpen = signal(false);
  readonly target = signal<ComposeTarget>(EMPTY_STREAM_TARGET);
  /** The address was chosen, so the box shows it and keeps it. */
  readonly isTargetChosen = signal(false);
  readonly text = signal('');
  readonly error = signal<string | undefined>(undefined);
  /** Preview instead of the text. */
  readonly previewing = signal(false);
  readonly conversation: ReadonlySignal<Conversation | undefined> = computed(() =>
    conversationOfTarget(this.target.value),
  );
  /** The conversation of the view; undefined in views of several. */
  readonly viewedConversation: ReadonlySignal<Conversation | undefined> = computed(() => {
    const route = core.router.route.value;
    return route.view === 'narrow' ? findNarrowConversation(route.narrow) : undefined;
  });
  /** The text area, while it is shown. */
  area: HTMLTextAreaElement | undefined;
  /** Where the caret goes when the text area is shown again. */
  #focusesWhenMounted = false;
  #draft: OpenDraft = core.drafts.open(undefined);
  /** Drafts that were left in this tab, with the time; one that was left just now is newer than the state. */
  readonly #leftDraftByTargetKey = new Map<string, { readonly draft: OpenDraft; readonly at: number }>();

  /** Begins to follow the view, requests of other views, and drafts of other tabs. @returns ends it */
  startFollowing(): () => void {
    this.#restoreKeptText();
    const ends = [
      effect(() => {
        void core.platform.address.hash.value;
        untracked(() => this.#followRoute(core.router.route.peek()));
      }),
      effect(() => {
        const request = core.viewState.composeRequest.value;
        if (!request) return;
        core.viewState.composeRequest.value = undefined;
        untracked(() => this.takeRequest(request));
      }),
      this.#followDrafts(),
    ];
    const keep = () => this.#keepTextForReload();
    window.addEventListener('pagehide', keep);
    return () => {
      for (const end of ends) end();
      window.removeEventListener('pagehide', keep);
      this.#draft.close();
    };
  }

  /** A key or button: a new message. */
  beginMessage(kind: ComposeTarget['kind']): void {
    const route = core.router.route.peek();
    const viewed = this.viewedConversation.peek();
    let target: ComposeTarget = kind === 'direct' ? { kind, users: [] } : EMPTY_STREAM_TARGET;
    if (viewed && 'users' in viewed === (kind === 'direct')) target = makeComposeTarget(viewed);
    else if (route.view === 'narrow' && kind === 'stream') {
      const stream = findOperand(route.narrow, 'stream');
      if (typeof stream === 'number') target = { kind, stream, topic: '' };
    }
    this.#switchTo(target, true);
    this.openAndFocus();
  }

  takeRequest({ conversation, insertedText, draftId }: ComposeRequest): void {
    if (draftId !== undefined) {
      this.#resume(draftId);
      return;
    }
    if (conversation)
      this.#switchTo(
        makeComposeTarget(conversation),
        makeTargetKey(makeComposeTarget(conversation)) !== this.#viewedKey(),
      );
    // A forwarded message: the address is for the user to choose.
    else if (insertedText !== undefined) this.isTargetChosen.value = true;
    this.openAndFocus();
    if (insertedText !== undefined) this.append(insertedText);
  }

  /** Goes on with one draft of the list. */
  #resume(id: number): void {
    this.#leaveDraft();
    const draft = core.drafts.resume(id);
    const target = draft.target ? makeComposeTarget(draft.target) : EMPTY_STREAM_TARGET;
    this.target.value = target;
    this.isTargetChosen.value = makeTargetKey(target) !== this.#viewedKey();
    this.error.value = undefined;
    this.#draft = draft;
    this.#showText(draft.content.peek());
    this.openAndFocus();
  }

  openAndFocus(): void {
    this.isOpen.value = true;
    this.previewing.value = false;
    this.focus();
  }

  focus(): void {
    this.#focusesWhenMounted = this.area === undefined;
    this.area?.focus({ preventScroll: true });
  }

  /** The text area is in the document, or gone. */
  mount(area: HTMLTextAreaElement | undefined): void {
    this.area = area;
    if (!area) return;
    area.value = this.text.peek();
    area.setSelectionRange(area.value.length, area.value.length);
    if (this.#focusesWhenMounted) area.focus({ preventScroll: true });
    this.#focusesWhenMounted = false;
  }

  /** Leaves the box; the text stays as a draft. */
  close(): void {
    this.#leaveDraft();
    const viewed = this.viewedConversation.peek();
    this.isTargetChosen.value = false;
    this.isOpen.value = viewed !== undefined;
    this.#enterTarget(viewed ? makeComposeTarget(viewed) : EMPTY_STREAM_TARGET);
    this.area?.blur();
  }

  /** Another conversation with its own text; that of the one before stays as its draft. */
  #switchTo(target: ComposeTarget, chosen: boolean): void {
    this.isTargetChosen.value = chosen;
    if (makeTargetKey(this.target.peek()) === makeTargetKey(target)) return;
    this.#leaveDraft();
    this.#enterTarget(target);
  }

  /** The user changes the address of the text. */
  setTarget(target: ComposeTarget): void {
    const [before, after] = [makeTargetKey(this.target.peek()), makeTargetKey(target)];
    this.isTargetChosen.value = true;
    this.error.value = undefined;
    if (before === after) {
      this.target.value = target;
    } else if (this.text.peek().trim() === '') {
      this.#leaveDraft();
      this.#enterTarget(target);
    } else {
      // The text goes to the new address.
      this.target.value = target;
      this.#draft.setTarget(conversationOfTarget(target));
      core.typingNotices.noteStopped();
    }
  }

  /** At every input of the user. */
  noteTyped(text: string): void {
    this.text.value = text;
    this.error.value = undefined;
    this.#draft.setContent(text);
    const to = this.conversation.peek();
    if (text.trim() === '') core.typingNotices.noteStopped();
    else if (to) core.typingNotices.noteKeystroke(to);
  }

  setText(text: string): void {
    if (this.area) {
      this.area.value = text;
      this.area.setSelectionRange(text.length, text.length);
    }
    this.text.value = text;
    this.#draft.setContent(text);
  }

  /** Changes a part of the text, in a way that the browser can undo. */
  edit(edit: TextEdit): void {
    if (this.area) applyEdit(this.area, edit);
  }

  /** Puts a text in at the caret. */
  insert(text: string): void {
    const { area } = this;
    if (!area) {
      this.setText(this.text.peek() + text);
      return;
    }
    const [from, to] = [area.selectionStart, area.selectionEnd];
    this.edit({ from, to, insertedText: text, selectionStart: from + text.length, selectionEnd: from + text.length });
  }

  /** Puts a text in behind what is there, on a line of its own. */
  append(text: string): void {
    const before = this.text.peek();
    const gap = before === '' ? '' : before.endsWith('\n') ? '' : text.includes('\n') ? '\n' : ' ';
    this.setText(before + gap + text);
    this.focus();
  }

  /** The text has left: sent or scheduled. */
  clearAfterSending(): void {
    core.typingNotices.noteStopped();
    this.#draft.discard();
    this.#leftDraftByTargetKey.delete(makeTargetKey(this.target.peek()));
    // The server's copy is on its way out; it must not come back into the box.
    this.#draft = core.drafts.open(undefined);
    this.#draft.setTarget(this.conversation.peek());
    this.text.value = '';
    this.error.value = undefined;
    this.previewing.value = false;
    if (this.area) this.area.value = '';
  }

  #viewedKey(): string | undefined {
    const viewed = this.viewedConversation.peek();
    return viewed && conversationKey(viewed);
  }

  #followRoute(route: Route): void {
    const viewed = route.view === 'narrow' ? findNarrowConversation(route.narrow) : undefined;
    const hasText = this.text.peek().trim() !== '';
    if (
      viewed &&
      (!this.isTargetChosen.peek() ||
        !hasText ||
        makeTargetKey(makeComposeTarget(viewed)) === makeTargetKey(this.target.peek()))
    ) {
      this.isTargetChosen.value = false;
      if (conversationKey(viewed) !== makeTargetKey(this.target.peek())) {
        this.#leaveDraft();
        this.#enterTarget(makeComposeTarget(viewed));
      }
      this.isOpen.value = true;
    } else if (!viewed && this.isOpen.peek()) {
      if (hasText) this.isTargetChosen.value = true;
      else {
        this.#leaveDraft();
        this.#enterTarget(EMPTY_STREAM_TARGET);
        this.isOpen.value = false;
      }
    }
  }

  #leaveDraft(): void {
    core.typingNotices.noteStopped();
    this.#draft.close();
    this.#leftDraftByTargetKey.set(makeTargetKey(this.target.peek()), { draft: this.#draft, at: core.platform.now() });
  }

  /** Takes the draft of the address: that of this tab while it is not saved, else the server's. */
  #enterTarget(target: ComposeTarget): void {
    const left = this.#leftDraftByTargetKey.get(makeTargetKey(target));
    const isNewer =
      left !== undefined &&
      (left.draft.phase.peek() !== 'saved' || core.platform.now() - left.at < DRAFT_EVENT_TIMEOUT_MS);
    this.target.value = target;
    this.error.value = undefined;
    this.previewing.value = false;
    this.#draft = isNewer ? left.draft : core.drafts.open(conversationOfTarget(target));
    this.#showText(this.#draft.content.peek());
  }

  #showText(text: string): void {
    this.text.value = text;
    if (!this.area) return;
    this.area.value = text;
    this.area.setSelectionRange(text.length, text.length);
  }

  /** Another tab or device writes in the same conversation: a box without the keyboard follows. */
  #followDrafts(): () => void {
    let last: string | undefined;
    return effect(() => {
      const stored = core.drafts.newestFor(this.conversation.value);
      void core.state.ownLists.drafts.value;
      const now = stored && `${stored.id} ${stored.content}`;
      if (now === last) return;
      last = now;
      if (document.hasFocus() || this.#draft.phase.peek() !== 'saved') return;
      if ((stored?.content ?? '') === this.text.peek()) return;
      this.#draft = core.drafts.open(this.conversation.peek());
      this.#showText(this.#draft.content.peek());
    });
  }

  /** The address, and the text of the last second, which is not on the server when the page goes. */
  #keepTextForReload(): void {
    const content = this.text.peek();
    const isSaved = this.#draft.phase.peek() === 'saved';
    try {
      if (content.trim() === '') sessionStorage.removeItem(KEPT_TEXT_STORE_KEY);
      else {
        const kept: KeptComposeText = { user: this.userId, target: this.target.peek(), content, isSaved };
        sessionStorage.setItem(KEPT_TEXT_STORE_KEY, JSON.stringify(kept));
      }
    } catch {
      // Without storage the draft on the server is what is left.
    }
  }

  #restoreKeptText(): void {
    try {
      const kept = sessionStorage.getItem(KEPT_TEXT_STORE_KEY);
      if (kept === null) return;
      const { user, target, content, isSaved } = JSON.parse(kept) as KeptComposeText;
      if (user !== this.userId) return;
      sessionStorage.removeItem(KEPT_TEXT_STORE_KEY);
      this.target.value = target;
      this.isTargetChosen.value = true;
      this.isOpen.value = true;
      this.#draft = core.drafts.open(conversationOfTarget(target));
      if (isSaved && this.#draft.content.peek() !== '') this.#showText(this.#draft.content.peek());
      else this.setText(content);
    } catch {
      // A damaged entry is as good as none.
    }
  }
}

let currentComposer: Composer | undefined;

/** The compose box of this page and user. */
export function getComposer(): Composer {
  const user = core.state.me.id;
  currentComposer = currentComposer?.userId === user ? currentComposer : new Composer();
  return currentComposer;
}
