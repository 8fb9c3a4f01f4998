import { core } from '../../client/index.js';
import { makeStreamNarrow } from '../../core/index.js';
import { awaitOrToastError } from '../../failures/index.js';
import { type MenuItem, type PopoverAnchor, toggleMenu } from '../../kit/index.js';
import { confirm, LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { subscriptionFlags, subscriptions } from '../../toggles/index.js';
import { copyAbsoluteLink } from '../../topics-later/index.js';

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
      icon: LATER_ICONS.pin,
      run: () => void awaitOrToastError(subscriptionFlags.press(pin, !isPinned)),
    },
    mine && {
      label: t(isMuted ? 'sidebar.unmute-stream' : 'sidebar.mute-stream'),
      icon: isMuted ? 'bell' : LATER_ICONS.mute,
      run: () => void awaitOrToastError(subscriptionFlags.press(mute, !isMuted)),
    },
    {
      label: t('sidebar.copy-link'),
      icon: LATER_ICONS.link,
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
      icon: LATER_ICONS.signOut,
      danger: true,
      run: () => void confirmAndUnsubscribe(id, name),
    },
  ];
  toggleMenu(anchor, { label: t('sidebar.stream-menu', { name }), items });
}
