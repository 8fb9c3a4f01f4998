import { core } from '../client/index.js';
import {
  findExactNarrowConversation,
  makeConversationKey,
  makeConversationNarrow,
  type Narrow,
  type Route,
} from '../core/index.js';
import { isTypingTarget, showToast, useShortcut } from '../kit/index.js';
import { toggleSearch, toggleSwitcher } from '../search/index.js';
import { t } from '../text/index.js';
import { openHelp } from './open-help.js';
import { getPreferredHomeRoute } from './views.js';

const makeNavigateCommand = (route: Route) => () => core.router.navigate(route);
const makeNavigateToNarrowCommand = (...terms: Narrow) => makeNavigateCommand({ view: 'narrow', narrow: terms });

/** Opens the next conversation with unread messages: one of the same stream, else the one with the newest message. */
function goToNextUnreadConversation(direct: boolean): void {
  const route = core.router.route.peek();
  const current = route.view === 'narrow' ? findExactNarrowConversation(route.narrow) : undefined;
  const currentKey = current && makeConversationKey(current);
  const stream = current && 'stream' in current ? current.stream : undefined;
  const unread = core.state.unread.unreadConversations
    .peek()
    .filter(({ conversation, key, muted }) => 'users' in conversation === direct && !muted && key !== currentKey);
  const next =
    unread.find(({ conversation }) => 'stream' in conversation && conversation.stream === stream) ?? unread[0];
  if (next) core.router.navigate({ view: 'narrow', narrow: makeConversationNarrow(next.conversation) });
  else showToast({ text: t(direct ? 'shell.no-unread-direct' : 'shell.no-unread-topic') });
}

/** Escape leaves a field, else it opens the first view, unless the settings turn that off. */
function leaveFieldOrGoHome(): boolean {
  const focused = document.activeElement;
  if (isTypingTarget(focused) && focused instanceof HTMLElement) {
    focused.blur();
    return true;
  }
  if (core.state.me.settings.peek().escape_navigates_to_default_view === false) return false;
  const home = getPreferredHomeRoute();
  if (core.router.formatHash(core.router.route.peek()) === core.router.formatHash(home)) return false;
  core.router.navigate(home);
  return true;
}

/** Shortcuts that work in each view, unless the view has its own handler. */
export function useGlobalShortcuts(): void {
  useShortcut('help', openHelp);
  useShortcut('back', leaveFieldOrGoHome);
  useShortcut('search', toggleSearch);
  useShortcut('switch', toggleSwitcher);
  useShortcut('inbox', makeNavigateCommand({ view: 'inbox' }));
  useShortcut('recent', makeNavigateCommand({ view: 'recent' }));
  useShortcut('drafts', makeNavigateCommand({ view: 'drafts' }));
  useShortcut('all', makeNavigateToNarrowCommand());
  useShortcut('mentions', makeNavigateToNarrowCommand({ operator: 'is', operand: 'mentioned' }));
  useShortcut('starred', makeNavigateToNarrowCommand({ operator: 'is', operand: 'starred' }));
  useShortcut('directs', makeNavigateToNarrowCommand({ operator: 'is', operand: 'dm' }));
  useShortcut('next-topic', () => goToNextUnreadConversation(false));
  useShortcut('next-direct', () => goToNextUnreadConversation(true));
  useShortcut('history-back', () => history.back());
  useShortcut('history-forward', () => history.forward());
}
