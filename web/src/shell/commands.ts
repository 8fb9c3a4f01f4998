import { core } from '../client/index.js';
import { conversationKey, conversationNarrow, type Narrow, narrowConversation, type Route } from '../core/index.js';
import { isField, toast, useShortcut } from '../kit/index.js';
import { openSearch, openSwitcher } from '../search/index.js';
import { t } from '../text/index.js';
import { openHelp } from './open-help.js';
import { homeRoute } from './views.js';

const go = (route: Route) => () => core.router.go(route);
const narrow = (...terms: Narrow) => go({ view: 'narrow', narrow: terms });

/** Goes to the next conversation with unread messages: its stream first, then by the newest one. */
function nextUnread(direct: boolean): void {
  const route = core.router.route.peek();
  const current = route.view === 'narrow' ? narrowConversation(route.narrow) : undefined;
  const currentKey = current && conversationKey(current);
  const stream = current && 'stream' in current ? current.stream : undefined;
  const unread = core.state.unread.conversations
    .peek()
    .filter(({ of, key, muted }) => 'users' in of === direct && !muted && key !== currentKey);
  const next = unread.find(({ of }) => 'stream' in of && of.stream === stream) ?? unread[0];
  if (next) core.router.go({ view: 'narrow', narrow: conversationNarrow(next.of) });
  else toast({ text: t(direct ? 'shell.no-unread-direct' : 'shell.no-unread-topic') });
}

/** Escape leaves a field first, then the view for the first one. */
function back(): boolean {
  const focused = document.activeElement;
  if (isField(focused) && focused instanceof HTMLElement) {
    focused.blur();
    return true;
  }
  const home = homeRoute();
  if (core.router.hash(core.router.route.peek()) === core.router.hash(home)) return false;
  core.router.go(home);
  return true;
}

/** Shortcuts that work in each view, unless the view has its own handler. */
export function useCommands(): void {
  useShortcut('help', openHelp);
  useShortcut('back', back);
  useShortcut('search', openSearch);
  useShortcut('switch', openSwitcher);
  useShortcut('inbox', go({ view: 'inbox' }));
  useShortcut('recent', go({ view: 'recent' }));
  useShortcut('drafts', go({ view: 'drafts' }));
  useShortcut('all', narrow());
  useShortcut('mentions', narrow({ operator: 'is', operand: 'mentioned' }));
  useShortcut('starred', narrow({ operator: 'is', operand: 'starred' }));
  useShortcut('directs', narrow({ operator: 'is', operand: 'dm' }));
  useShortcut('next-topic', () => nextUnread(false));
  useShortcut('next-direct', () => nextUnread(true));
  useShortcut('history-back', () => history.back());
  useShortcut('history-forward', () => history.forward());
}
