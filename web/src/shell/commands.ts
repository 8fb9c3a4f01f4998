import { core } from '../client/index.js';
import { conversationKey, conversationNarrow, findNarrowConversation, type Narrow, type Route } from '../core/index.js';
import { isTypingTarget, toast, useShortcut } from '../kit/index.js';
import { openSearch, openSwitcher } from '../search/index.js';
import { t } from '../text/index.js';
import { openHelp } from './open-help.js';
import { findHomeRoute } from './views.js';

const makeGoCommand = (route: Route) => () => core.router.navigate(route);
const makeNarrowCommand = (...terms: Narrow) => makeGoCommand({ view: 'narrow', narrow: terms });

/** Goes to the next conversation with unread messages: its stream first, then by the newest one. */
function goToNextUnread(direct: boolean): void {
  const route = core.router.route.peek();
  const current = route.view === 'narrow' ? findNarrowConversation(route.narrow) : undefined;
  const currentKey = current && conversationKey(current);
  const stream = current && 'stream' in current ? current.stream : undefined;
  const unread = core.state.unread.conversations
    .peek()
    .filter(({ conversation, key, muted }) => 'users' in conversation === direct && !muted && key !== currentKey);
  const next =
    unread.find(({ conversation }) => 'stream' in conversation && conversation.stream === stream) ?? unread[0];
  if (next) core.router.navigate({ view: 'narrow', narrow: conversationNarrow(next.conversation) });
  else toast({ text: t(direct ? 'shell.no-unread-direct' : 'shell.no-unread-topic') });
}

/** Escape leaves a field first, then the view for the first one. */
function leaveFieldOrGoHome(): boolean {
  const focused = document.activeElement;
  if (isTypingTarget(focused) && focused instanceof HTMLElement) {
    focused.blur();
    return true;
  }
  const home = findHomeRoute();
  if (core.router.formatHash(core.router.route.peek()) === core.router.formatHash(home)) return false;
  core.router.navigate(home);
  return true;
}

/** Shortcuts that work in each view, unless the view has its own handler. */
export function useGlobalShortcuts(): void {
  useShortcut('help', openHelp);
  useShortcut('back', leaveFieldOrGoHome);
  useShortcut('search', openSearch);
  useShortcut('switch', openSwitcher);
  useShortcut('inbox', makeGoCommand({ view: 'inbox' }));
  useShortcut('recent', makeGoCommand({ view: 'recent' }));
  useShortcut('drafts', makeGoCommand({ view: 'drafts' }));
  useShortcut('all', makeNarrowCommand());
  useShortcut('mentions', makeNarrowCommand({ operator: 'is', operand: 'mentioned' }));
  useShortcut('starred', makeNarrowCommand({ operator: 'is', operand: 'starred' }));
  useShortcut('directs', makeNarrowCommand({ operator: 'is', operand: 'dm' }));
  useShortcut('next-topic', () => goToNextUnread(false));
  useShortcut('next-direct', () => goToNextUnread(true));
  useShortcut('history-back', () => history.back());
  useShortcut('history-forward', () => history.forward());
}
