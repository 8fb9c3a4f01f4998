import { core } from '../client/index.js';
import { type Narrow, narrowConversation, operandOf, type Route } from '../core/index.js';
import { type Key, t } from '../text/index.js';

/** Names of views without messages. */
const TITLES = {
  inbox: 'sidebar.inbox',
  recent: 'sidebar.recent',
  drafts: 'sidebar.drafts',
  scheduled: 'sidebar.scheduled',
  settings: 'shell.settings',
  organization: 'shell.organization',
  streams: 'sidebar.streams',
  users: 'sidebar.people',
  groups: 'shell.groups',
  about: 'shell.about',
  unknown: 'shell.not-found',
} as const satisfies Partial<Record<Route['view'], Key>>;

const FILTERS = {
  mentioned: 'sidebar.mentions',
  starred: 'sidebar.starred',
  dm: 'sidebar.directs',
} as const;

const isFilter = (word: unknown): word is keyof typeof FILTERS => typeof word === 'string' && word in FILTERS;

/** Name of a narrow that is no conversation. */
export function filterName(narrow: Narrow): string {
  if (narrow.length === 0) return t('sidebar.all');
  const [only] = narrow;
  const alone = narrow.length === 1 && only?.operator === 'is' && !only.negated;
  if (alone && isFilter(only.operand)) return t(FILTERS[only.operand]);
  const words = operandOf(narrow, 'search');
  return words === undefined ? t('shell.search') : t('shell.search-for', { words: String(words) });
}

/** Name of what is on screen, as plain text. */
export function routeName(route: Route): string {
  if (route.view !== 'narrow') return route.view in TITLES ? t(TITLES[route.view as keyof typeof TITLES]) : '';
  const { people, streams } = core.state;
  const conversation = narrowConversation(route.narrow);
  if (conversation && 'users' in conversation) return conversation.users.map((id) => people.nameOf(id)).join(', ');
  const stream = operandOf(route.narrow, 'stream');
  if (stream === undefined || (route.narrow.length > 1 && !conversation)) return filterName(route.narrow);
  const name = typeof stream === 'number' ? streams.nameOf(stream) : String(stream);
  return conversation ? `#${name} › ${conversation.topic}` : `#${name}`;
}
