import { core, formatFailureText } from '../../client/index.js';
import { makeStreamNarrow, makeTopicNarrow, TOPIC_VISIBILITY_POLICY } from '../../core/index.js';
import { type MenuItem, type PopoverAnchor, showToast, toggleMenu } from '../../kit/index.js';
import { confirm } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { subscriptionFlags, subscriptions, topicPolicies } from '../../toggles/index.js';

/** Runs an action and says a refusal. */
async function awaitOrToastError(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (error) {
    showToast({ text: formatFailureText(error), kind: 'error' });
  }
}

async function copyAbsoluteLink(hash: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(hash, location.href).href);
  showToast({ text: t('common.copied'), kind: 'success' });
}

async function confirmAndUnsubscribe(id: number, name: string): Promise<void> {
  const action = t('sidebar.leave');
  const agreed = await confirm({
    title: action,
    text: t('sidebar.leave-question', { name }),
    confirmLabel: action,
    danger: true,
  });
  if (agreed) await awaitOrToastError(subscriptions.press(id, false));
}

/** Actions on a stream. */
export function openStreamMenu(anchor: PopoverAnchor, id: number): void {
  const stream = core.state.streams.byId.peek().get(id);
  if (!stream) return;
  const mine = subscriptions.shown(id);
  const { name } = stream;
  const pin = { stream: id, property: 'pin_to_top' } as const;
  const mute = { stream: id, property: 'is_muted' } as const;
  const isPinned = subscriptionFlags.shown(pin);
  const isMuted = subscriptionFlags.shown(mute);
  const items: MenuItem[] = [
    mine && {
      label: t('sidebar.mark-read'),
      icon: 'resolved',
      run: () => void awaitOrToastError(core.readMarker.markStreamRead(id)),
    },
    mine && {
      label: t(isPinned ? 'sidebar.unpin' : 'sidebar.pin'),
      icon: 'pin',
      run: () => void awaitOrToastError(subscriptionFlags.press(pin, !isPinned)),
    },
    mine && {
      label: t(isMuted ? 'sidebar.unmute-stream' : 'sidebar.mute-stream'),
      icon: isMuted ? 'bell' : 'mute',
      run: () => void awaitOrToastError(subscriptionFlags.press(mute, !isMuted)),
    },
    {
      label: t('sidebar.copy-link'),
      icon: 'link',
      run: () => void copyAbsoluteLink(core.router.formatHash({ view: 'narrow', narrow: makeStreamNarrow(id) })),
    },
    core.state.me.id !== 0 && {
      label: t('sidebar.stream-settings'),
      icon: 'settings',
      run: () => core.router.navigate({ view: 'streams', parts: [String(id)] }),
    },
    mine && 'line',
    mine && {
      label: t('sidebar.leave'),
      icon: 'sign-out',
      danger: true,
      run: () => void confirmAndUnsubscribe(id, name),
    },
  ];
  toggleMenu(anchor, { label: t('sidebar.stream-menu', { name }), items });
}

/** Actions on a topic. */
export function openTopicMenu(anchor: PopoverAnchor, stream: number, topic: string): void {
  const policy = topicPolicies.shown({ stream, topic });
  const choice = (label: string, value: 0 | 1 | 2 | 3): MenuItem => ({
    label,
    checked: policy === value,
    run: () => void awaitOrToastError(topicPolicies.press({ stream, topic }, value)),
  });
  const { inherit, muted, unmuted, followed } = TOPIC_VISIBILITY_POLICY;
  const own: MenuItem[] = [
    {
      label: t('sidebar.mark-read'),
      icon: 'resolved',
      run: () => void awaitOrToastError(core.readMarker.markConversationRead({ stream, topic })),
    },
    'line',
    choice(t('sidebar.topic-inherit'), inherit),
    choice(t('sidebar.topic-muted'), muted),
    choice(t('sidebar.topic-unmuted'), unmuted),
    choice(t('sidebar.topic-followed'), followed),
    'line',
  ];
  const link: MenuItem = {
    label: t('sidebar.copy-link'),
    icon: 'link',
    run: () =>
      void copyAbsoluteLink(core.router.formatHash({ view: 'narrow', narrow: makeTopicNarrow(stream, topic) })),
  };
  const items = core.state.me.id === 0 ? [link] : [...own, link];
  toggleMenu(anchor, { label: t('sidebar.topic-menu', { name: topic }), items });
}
