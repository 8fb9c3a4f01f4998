import { core } from '../client/index.js';
import { Icon } from '../kit/index.js';
import { t } from '../text/index.js';

/** A line over the view while there is no connection. It appears after 1.5 s, since most interruptions are shorter. */
export function ConnectionStatusLine() {
  const status = core.eventQueue.status.value;
  const offline = status === 'offline';
  return (
    <div class="status-line" role="status">
      {(offline || status === 'connecting') && (
        <p key={status}>
          {offline ? <Icon name="offline" size={16} /> : <span class="spinner small" aria-hidden="true" />}
          {t(offline ? 'shell.offline' : 'shell.connecting')}
        </p>
      )}
    </div>
  );
}
