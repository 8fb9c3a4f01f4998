import { core } from '../../client/index.js';
import type { Stream } from '../../core/index.js';
import { Button, IconButton, toast } from '../../kit/index.js';
import { confirm } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { formatFailure } from '../parts/saving.js';
import { maySubscribe } from './rights.js';

async function toggleSubscription(stream: Stream): Promise<void> {
  const { name } = stream;
  try {
    if (stream.membership !== 'subscribed') {
      await core.api.post('/users/me/subscriptions', { subscriptions: [{ name }] });
    } else {
      const agreed =
        !stream.invite_only ||
        (await confirm({
          title: t('settings.leave', { name }),
          text: t('settings.leave-private'),
          confirmLabel: t('settings.unsubscribe'),
          danger: true,
        }));
      if (agreed) await core.api.delete('/users/me/subscriptions', { subscriptions: [name] });
    }
  } catch (error) {
    toast({ text: formatFailure(error), kind: 'error' });
  }
}

/** Subscribes the reader, or ends the subscription. */
export function SubscribeButton({ stream, small }: { readonly stream: Stream; readonly small?: boolean }) {
  const subscribed = stream.membership === 'subscribed';
  if (!subscribed && !maySubscribe(stream)) return null;
  const run = () => void toggleSubscription(stream);
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
