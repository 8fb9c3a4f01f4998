import { core } from '../client/index.js';
import { isTopicResolved, makeTopicNarrow, TOPIC_VISIBILITY_POLICY } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import { type MenuItem, type PopoverAnchor, toggleMenu } from '../kit/index.js';
import { LATER_ICONS } from '../kit-later/index.js';
import { t } from '../text/index.js';
import { topicPolicies } from '../toggles/index.js';
import { copyAbsoluteLink } from './copy.js';
import { openDeleteTopicDialog } from './delete.js';
import { openMoveTopicDialog } from './move.js';
import { withNewestMessage } from './newest.js';
import { toggleTopicResolved } from './resolve.js';
import { mayChangeTopics, mayMoveMessages } from './rights.js';

/** Actions of readers with an account, as far as policies and roles allow them. */
function makeOwnItems(stream: number, topic: string): readonly MenuItem[] {
  const policy = topicPolicies.shown({ stream, topic });
  const choice = (label: string, value: 0 | 1 | 2 | 3): MenuItem => ({
    label,
    checked: policy === value,
    run: () => void awaitOrToastError(topicPolicies.press({ stream, topic }, value)),
  });
  const { inherit, muted, unmuted, followed } = TOPIC_VISIBILITY_POLICY;
  return [
    {
      label: t('sidebar.mark-read'),
      icon: 'resolved',
      run: () => void awaitOrToastError(core.readMarker.markConversationRead({ stream, topic })),
    },
    'line',
    choice(t('topics.inherit'), inherit),
    choice(t('topics.muted'), muted),
    choice(t('topics.unmuted'), unmuted),
    choice(t('topics.followed'), followed),
    'line',
    mayMoveMessages() && {
      label: t('topics.rename'),
      icon: 'move',
      run: () => void awaitOrToastError(withNewestMessage(stream, topic, openMoveTopicDialog)),
    },
    mayChangeTopics() && {
      label: t(isTopicResolved(topic) ? 'topics.reopen' : 'topics.resolve'),
      icon: 'resolved',
      run: () => void awaitOrToastError(withNewestMessage(stream, topic, toggleTopicResolved)),
    },
  ];
}

/** Opens the menu of a topic. */
export function openTopicMenu(anchor: PopoverAnchor, stream: number, topic: string): void {
  const { me } = core.state;
  const items: readonly MenuItem[] = [
    ...(me.id === 0 ? [] : makeOwnItems(stream, topic)),
    {
      label: t('sidebar.copy-link'),
      icon: LATER_ICONS.link,
      run: () =>
        void copyAbsoluteLink(core.router.formatHash({ view: 'narrow', narrow: makeTopicNarrow(stream, topic) })),
    },
    me.isAdmin && 'line',
    me.isAdmin && {
      label: t('topics.delete'),
      icon: LATER_ICONS.trash,
      danger: true,
      run: () => openDeleteTopicDialog(stream, topic),
    },
  ];
  toggleMenu(anchor, { label: t('topics.menu', { name: topic }), items });
}
