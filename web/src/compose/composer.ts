import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { core } from '../client/index.js';
import {
  type ComposeRequest,
  type Conversation,
  conversationKey,
  narrowConversation,
  type OpenDraft,
  operandOf,
  othersOf,
  type Route,
} from '../core/index.js';
import { applyEdit } from './area.js';
import type { Edit } from './edits.js';

/** Where a message goes. The address may be half filled in. */
export type Target =
  | { readonly kind: 'stream'; readonly stream: number | undefined; readonly topic: string }
  | { readonly kind: 'direct'; readonly users: readonly number[] };

/** Topic of a message without one, where the organization allows that. */
export const NO_TOPIC = '(no topic)';

/** The text is kept here while the page is loaded again. */
const KEPT = 'compose';

/** The event of a saved draft comes within this time. */
const EVENT_LIMIT_MS = 10_000;

interface Kept {
  readonly user: number;
  readonly target: Target;
  readonly content: string;
  readonly isSaved: boolean;
}

const NEW_STREAM: Target = { kind: 'stream', stream: undefined, topic: '' };

export const targetOf = (of: Conversation): Target =>
  'users' in of
    ? { kind: 'direct', users: of.users }
    : { kind: 'stream', stream: of.stream, topic: of.topic === NO_TOPIC ? '' : of.topic };

/** @returns undefined while the address is not complete */
export function conversationOfTarget(target: Target): Conversation | undefined {
  if (target.kind === 'direct') {
    return target.users.length === 0 ? undefined : { users: othersOf(target.users, core.state.me.id) };
  }
  if (target.stream === undefined) return undefined;
  return { stream: target.stream, topic: target.topic.trim() || NO_TOPIC };
}

const keyOf = (target: Target): string => {
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
  readonly user = core.state.me.userId.peek();
  readonly open = signal(false);
  readonly target = signal<Target>(NEW_STREAM);
  /** The address was chosen, so the box shows it and keeps it. */
  readonly chosen = signal(false);
  readonly text = signal('');
  readonly error = signal<string | undefined>(undefined);
  /** Preview instead of the text. */
  readonly previewing = signal(false);
  readonly conversation: ReadonlySignal<Conversation | undefined> = computed(() =>
    conversationOfTarget(this.target.value),
  );
  /** The conversation of the view; undefined in views of several. */
  readonly viewed: ReadonlySignal<Conversation | undefined> = computed(() => {
    const route = core.router.route.value;
    return route.view === 'narrow' ? narrowConversation(route.narrow) : undefined;
  });
  /** The text area, while it is shown. */
  area: HTMLTextAreaElement | undefined;
  /** Where the caret goes when the text area is shown again. */
  #focusWanted = false;
  #draft: OpenDraft = core.drafts.open(undefined);
  /** Drafts that were left in this tab, with the time; one that was left just now is newer than the state. */
  readonly #left = new Map<string, { readonly draft: OpenDraft; readonly at: number }>();

  /** Begins to follow the view, requests of other views, and drafts of other tabs. @returns ends it */
  start(): () => void {
    this.#takeKept();
    const ends = [
      effect(() => {
        void core.platform.address.hash.value;
        untracked(() => this.#follow(core.router.route.peek()));
      }),
      effect(() => {
        const request = core.focus.compose.value;
        if (!request) return;
        core.focus.compose.value = undefined;
        untracked(() => this.ask(request));
      }),
      this.#followDrafts(),
    ];
    const keep = () => this.#keep();
    window.addEventListener('pagehide', keep);
    return () => {
      for (const end of ends) end();
      window.removeEventListener('pagehide', keep);
      this.#draft.close();
    };
  }

  /** A key or button: a new message. */
  begin(kind: Target['kind']): void {
    const route = core.router.route.peek();
    const viewed = this.viewed.peek();
    let target: Target = kind === 'direct' ? { kind, users: [] } : NEW_STREAM;
    if (viewed && 'users' in viewed === (kind === 'direct')) target = targetOf(viewed);
    else if (route.view === 'narrow' && kind === 'stream') {
      const stream = operandOf(route.narrow, 'stream');
      if (typeof stream === 'number') target = { kind, stream, topic: '' };
    }
    this.#switchTo(target, true);
    this.show();
  }

  ask({ to, insert, replace, draft }: ComposeRequest): void {
    if (draft !== undefined) {
      this.#resume(draft);
      return;
    }
    if (to) this.#switchTo(targetOf(to), keyOf(targetOf(to)) !== this.#viewedKey());
    // A forwarded message: the address is for the user to choose.
    else if (insert !== undefined) this.chosen.value = true;
    this.show();
    if (replace !== undefined) this.setText(replace);
    if (insert !== undefined) this.append(insert);
  }

  /** Goes on with one draft of the list. */
  #resume(id: number): void {
    this.#leaveDraft();
    const draft = core.drafts.resume(id);
    const target = draft.target ? targetOf(draft.target) : NEW_STREAM;
    this.target.value = target;
    this.chosen.value = keyOf(target) !== this.#viewedKey();
    this.error.value = undefined;
    this.#draft = draft;
    this.#showText(draft.content.peek());
    this.show();
  }

  show(): void {
    this.open.value = true;
    this.previewing.value = false;
    this.focus();
  }

  focus(): void {
    this.#focusWanted = this.area === undefined;
    this.area?.focus({ preventScroll: true });
  }

  /** The text area is in the document, or gone. */
  mount(area: HTMLTextAreaElement | undefined): void {
    this.area = area;
    if (!area) return;
    area.value = this.text.peek();
    area.setSelectionRange(area.value.length, area.value.length);
    if (this.#focusWanted) area.focus({ preventScroll: true });
    this.#focusWanted = false;
  }

  /** Leaves the box; the text stays as a draft. */
  close(): void {
    this.#leaveDraft();
    const viewed = this.viewed.peek();
    this.chosen.value = false;
    this.open.value = viewed !== undefined;
    this.#enter(viewed ? targetOf(viewed) : NEW_STREAM);
    this.area?.blur();
  }

  /** Another conversation with its own text; that of the one before stays as its draft. */
  #switchTo(target: Target, chosen: boolean): void {
    this.chosen.value = chosen;
    if (keyOf(this.target.peek()) === keyOf(target)) return;
    this.#leaveDraft();
    this.#enter(target);
  }

  /** The user changes the address of the text. */
  setTarget(target: Target): void {
    const [before, after] = [keyOf(this.target.peek()), keyOf(target)];
    this.chosen.value = true;
    this.error.value = undefined;
    if (before === after) {
      this.target.value = target;
    } else if (this.text.peek().trim() === '') {
      this.#leaveDraft();
      this.#enter(target);
    } else {
      // The text goes to the new address.
      this.target.value = target;
      this.#draft.move(conversationOfTarget(target));
      core.notices.stopped();
    }
  }

  /** At every input of the user. */
  typed(text: string): void {
    this.text.value = text;
    this.error.value = undefined;
    this.#draft.write(text);
    const to = this.conversation.peek();
    if (text.trim() === '') core.notices.stopped();
    else if (to) core.notices.typed(to);
  }

  setText(text: string): void {
    if (this.area) {
      this.area.value = text;
      this.area.setSelectionRange(text.length, text.length);
    }
    this.text.value = text;
    this.#draft.write(text);
  }

  /** Changes a part of the text, in a way that the browser can undo. */
  edit(edit: Edit): void {
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
    this.edit({ from, to, insert: text, start: from + text.length, end: from + text.length });
  }

  /** Puts a text in behind what is there, on a line of its own. */
  append(text: string): void {
    const before = this.text.peek();
    const gap = before === '' ? '' : before.endsWith('\n') ? '' : text.includes('\n') ? '\n' : ' ';
    this.setText(before + gap + text);
    this.focus();
  }

  /** The text has left: sent or scheduled. */
  clear(): void {
    core.notices.stopped();
    this.#draft.discard();
    this.#left.delete(keyOf(this.target.peek()));
    // The server's copy is on its way out; it must not come back into the box.
    this.#draft = core.drafts.open(undefined);
    this.#draft.move(this.conversation.peek());
    this.text.value = '';
    this.error.value = undefined;
    this.previewing.value = false;
    if (this.area) this.area.value = '';
  }

  #viewedKey(): string | undefined {
    const viewed = this.viewed.peek();
    return viewed && conversationKey(viewed);
  }

  #follow(route: Route): void {
    const viewed = route.view === 'narrow' ? narrowConversation(route.narrow) : undefined;
    const hasText = this.text.peek().trim() !== '';
    if (viewed && (!this.chosen.peek() || !hasText || keyOf(targetOf(viewed)) === keyOf(this.target.peek()))) {
      this.chosen.value = false;
      if (conversationKey(viewed) !== keyOf(this.target.peek())) {
        this.#leaveDraft();
        this.#enter(targetOf(viewed));
      }
      this.open.value = true;
    } else if (!viewed && this.open.peek()) {
      if (hasText) this.chosen.value = true;
      else {
        this.#leaveDraft();
        this.#enter(NEW_STREAM);
        this.open.value = false;
      }
    }
  }

  #leaveDraft(): void {
    core.notices.stopped();
    this.#draft.close();
    this.#left.set(keyOf(this.target.peek()), { draft: this.#draft, at: core.platform.now() });
  }

  /** Takes the draft of the address: that of this tab while it is not saved, else the server's. */
  #enter(target: Target): void {
    const left = this.#left.get(keyOf(target));
    const isNewer =
      left !== undefined && (left.draft.phase.peek() !== 'saved' || core.platform.now() - left.at < EVENT_LIMIT_MS);
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
      void core.state.own.drafts.value;
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
  #keep(): void {
    const content = this.text.peek();
    const isSaved = this.#draft.phase.peek() === 'saved';
    try {
      if (content.trim() === '') sessionStorage.removeItem(KEPT);
      else {
        const kept: Kept = { user: this.user, target: this.target.peek(), content, isSaved };
        sessionStorage.setItem(KEPT, JSON.stringify(kept));
      }
    } catch {
      // Without storage the draft on the server is what is left.
    }
  }

  #takeKept(): void {
    try {
      const kept = sessionStorage.getItem(KEPT);
      if (kept === null) return;
      const { user, target, content, isSaved } = JSON.parse(kept) as Kept;
      if (user !== this.user) return;
      sessionStorage.removeItem(KEPT);
      this.target.value = target;
      this.chosen.value = true;
      this.open.value = true;
      this.#draft = core.drafts.open(conversationOfTarget(target));
      if (isSaved && this.#draft.content.peek() !== '') this.#showText(this.#draft.content.peek());
      else this.setText(content);
    } catch {
      // A damaged entry is as good as none.
    }
  }
}

let made: Composer | undefined;

/** The compose box of this page and user. */
export function composer(): Composer {
  const user = core.state.me.id;
  made = made?.user === user ? made : new Composer();
  return made;
}
