import { core } from '../client/index.js';
import { findExactNarrowConversation, findPositiveOperand, type Narrow, type Route } from '../core/index.js';
import type { IconName } from '../kit/index.js';
import { type TextKey, t } from '../text/index.js';
import { formatUnseenStreamName } from '../topics/index.js';

/** Names of views without messages. */
const TITLE_KEY_BY_VIEW = {
  inbox: 'sidebar.inbox',
  recent: 'sidebar.recent',
  drafts: 'sidebar.drafts',
  scheduled: 'sidebar.scheduled',
  settings: 'shell.settings',
  organization: 'shell.organization',
  streams: 'sidebar.streams',
  users: 'sidebar.people',
  groups: 'shell.groups',
  unknown: 'shell.not-found',
} as const satisfies Partial<Record<Route['view'], TextKey>>;

const SIGN_BY_IS_OPERAND: ReadonlyMap<unknown, { readonly name: TextKey; readonly icon: IconName }> = new Map([
  ['mentioned', { name: 'sidebar.mentions', icon: 'at' }],
  ['starred', { name: 'sidebar.starred', icon: 'star' }],
  ['dm', { name: 'sidebar.directs', icon: 'people' }],
]);

/** Name and icon of a narrow that the sidebar lists as a view. */
function findSign(narrow: Narrow) {
  const [only] = narrow;
  return narrow.length === 1 && only?.operator === 'is' && !only.negated
    ? SIGN_BY_IS_OPERAND.get(only.operand)
    : undefined;
}

/** Icon of a narrow that is no conversation. */
export const findNarrowIcon = (narrow: Narrow): IconName =>
  narrow.length === 0 ? 'all' : (findSign(narrow)?.icon ?? 'search');

/** Name of a narrow that is no conversation. */
function formatNarrowName(narrow: Narrow): string {
  if (narrow.length === 0) return t('sidebar.all');
  const sign = findSign(narrow);
  if (sign) return t(sign.name);
  const words = findPositiveOperand(narrow, 'search');
  if (words === undefined) return t('shell.search');
  const name = t('shell.search-for', { words: String(words) });
  const searched = narrow.filter(({ operator }) => operator !== 'search');
  const place = searched.length === 0 ? '' : formatRouteName({ view: 'narrow', narrow: searched });
  return place === '' || place === t('shell.search') ? name : `${name} · ${place}`;
}

/** Name of what is on screen, as plain text. */
export function formatRouteName(route: Route): string {
  if (route.view !== 'narrow')
    return route.view in TITLE_KEY_BY_VIEW ? t(TITLE_KEY_BY_VIEW[route.view as keyof typeof TITLE_KEY_BY_VIEW]) : '';
  const { people, streams } = core.state;
  const conversation = findExactNarrowConversation(route.narrow);
  if (conversation && 'users' in conversation)
    return conversation.users.map((id) => people.getFullName(id) || t('shell.unknown-person')).join(', ');
  const stream = findPositiveOperand(route.narrow, 'stream');
  if (stream === undefined || (route.narrow.length > 1 && !conversation)) return formatNarrowName(route.narrow);
  const gone = streams.getGoneStream(Number(stream));
  const known = typeof stream === 'number' ? streams.getStreamName(stream) : String(stream);
  const name = gone ? formatUnseenStreamName(gone) : known;
  const place = name ? `#${name}` : t('shell.unknown-stream');
  return conversation ? `${place} › ${conversation.topic}` : place;
}
