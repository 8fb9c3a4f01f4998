import { core } from '../../client/index.js';
import { ApiFailure, streamNarrow, TOPIC_POLICY, topicNarrow } from '../../core/index.js';
import { type Anchor, type MenuItem, openMenu, toast } from '../../kit/index.js';
import { confirm } from '../../kit-later/index.js';
import { t } from '../../text/index.js';

/** Runs an action and says a refusal. */
async function awaitOrToastError(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (error) {
    toast({ text: error instanceof ApiFailure ? error.message : t('error.unreachable'), kind: 'error' });
  }
}

async function copyLink(hash: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(hash, location.href).href);
  toast({ text: t('common.copied'), kind: 'success' });
}

const setSubscriptionProperty = (stream_id: number, property: string, value: boolean): Promise<unknown> =>
  core.api.post('/users/me/subscriptions/properties', { subscription_data: [{ stream_id, property, value }] });

async function askAndUnsubscribe(name: string): Promise<void> {
  const action = t('sidebar.leave');
  const agreed = await confirm({
    title: action,
    text: t('sidebar.leave-question', { name }),
    confirmLabel: action,
    danger: true,
  });
  if (agreed) await awaitOrToastError(core.api.delete('/users/me/subscriptions', { subscriptions: [name] }));
}

/** Actions on a stream. */
export function openStreamMenu(anchor: Anchor, id: number): void {
  const stream = core.state.streams.byId.peek().get(id);
  if (!stream) return;
  const mine = stream.membership === 'subscribed';
  const { name, pin_to_top = false, is_muted = false } = stream;
  const items: MenuItem[] = [
    mine && {
      label: t('sidebar.mark-read'),
      icon: 'resolved',
      run: () => void awaitOrToastError(core.readMarker.markStreamRead(id)),
    },
    mine && {
      label: t(pin_to_top ? 'sidebar.unpin' : 'sidebar.pin'),
      icon: 'pin',
      run: () => void awaitOrToastError(setSubscriptionProperty(id, 'pin_to_top', !pin_to_top)),
    },
    mine && {
      label: t(is_muted ? 'sidebar.unmute-stream' : 'sidebar.mute-stream'),
      icon: is_muted ? 'bell' : 'mute',
      run: () => void awaitOrToastError(setSubscriptionProperty(id, 'is_muted', !is_muted)),
    },
    {
      label: t('sidebar.copy-link'),
      icon: 'link',
      run: () => void copyLink(core.router.formatHash({ view: 'narrow', narrow: streamNarrow(id) })),
    },
    core.state.me.id !== 0 && {
      label: t('sidebar.stream-settings'),
      icon: 'settings',
      run: () => core.router.navigate({ view: 'streams', parts: [String(id)] }),
    },
    mine && 'line',
    mine && { label: t('sidebar.leave'), icon: 'sign-out', danger: true, run: () => void askAndUnsubscribe(name) },
  ];
  openMenu(anchor, { label: t('sidebar.stream-menu', { name }), items });
}

/** Actions on a topic. */
export function openTopicMenu(anchor: Anchor, stream: number, topic: string): void {
  const policy = core.state.muting.getTopicPolicy(stream, topic);
  const setPolicy = (visibility_policy: 0 | 1 | 2 | 3) =>
    void awaitOrToastError(core.api.post('/user_topics', { stream_id: stream, topic, visibility_policy }));
  const choice = (label: string, value: 0 | 1 | 2 | 3): MenuItem => ({
    label,
    checked: policy === value,
    run: () => setPolicy(value),
  });
  const { inherit, muted, unmuted, followed } = TOPIC_POLICY;
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
    run: () => void copyLink(core.router.formatHash({ view: 'narrow', narrow: topicNarrow(stream, topic) })),
  };
  const items = core.state.me.id === 0 ? [link] : [...own, link];
  openMenu(anchor, { label: t('sidebar.topic-menu', { name: topic }), items });
}
