import type { Stream } from '../../core/index.js';
import { showFailureToast } from '../../failures/index.js';
import { Button, IconButton } from '../../kit/index.js';
import { confirm } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { subscriptions } from '../../toggles/index.js';
import { maySubscribeSelf } from './rights.js';

async function toggleOwnSubscription({ stream_id, name, invite_only }: Stream): Promise<void> {
  try {
    if (!subscriptions.shown(stream_id)) await subscriptions.press(stream_id, true);
    else {
      const agreed =
        !invite_only ||
        (await confirm({
          title: t('settings.leave', { name }),
          text: t('settings.leave-private'),
          confirmLabel: t('settings.unsubscribe'),
          danger: true,
        }));
      if (agreed) await subscriptions.press(stream_id, false);
    }
  } catch (error) {
    showFailureToast(error);
  }
}

/** Subscribes the reader, or ends the subscription. */
export function SubscriptionToggleButton({ stream, small }: { readonly stream: Stream; readonly small?: boolean }) {
  const subscribed = subscriptions.shown(stream.stream_id);
  if (!subscribed && !maySubscribeSelf(stream)) return null;
  const run = () => void toggleOwnSubscription(stream);
  if (small) {
    const label = t(subscribed ? 'settings.unsubscribe-from' : 'settings.subscribe-to', { name: stream.name });
    return <IconButton icon={subscribed ? 'check' : 'plus'} label={label} pressed={subscribed} onClick={run} />;
  }
  return (
    <Button kind={subscribed ? undefined : 'primary'} onClick={run}>
      {t(subscribed ? 'settings.unsubscribe' : 'settings.subscribe')}
    </Button>
  );
}
