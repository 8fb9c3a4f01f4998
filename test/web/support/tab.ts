import type { Test } from 'tap';
import { Core } from '../../../web/src/core/index.js';
import type { TestServer } from '../../api/support/faces.js';
import type { Person } from '../../api/support/organization.js';
import type { ApiEvent } from '../../api/support/types.js';
import { checkEvent } from '../../api/support/wire.js';
import { until } from '../../support/until.js';
import { Browser, NodePlatform } from './node-platform.js';

export interface Tab {
  readonly core: Core;
  readonly platform: NodePlatform;
  readonly person: Person;
}

/**
 * A tab of this person, live. It signs in by the person's API key: cookies are the server's concern. Every event that
 * it polls is checked against the contract.
 */
export async function openTab(t: Test, server: TestServer, person: Person, browser = new Browser()): Promise<Tab> {
  const platform = new NodePlatform(() => `http://127.0.0.1:${server.nextPort()}`, person.api.headers, browser);
  const core = new Core(platform);
  t.teardown(() => platform.close());
  platform.after = ({ path }, text) => {
    if (!path.startsWith('/api/v1/events')) return;
    const { events = [] } = JSON.parse(text) as { events?: ApiEvent[] };
    for (const event of events) checkEvent(event);
  };
  core.startQueueAndPresence();
  await until('the tab is live', () => core.eventQueue.status.value === 'live');
  return { core, platform, person };
}

/** Waits until the tab has every event of now: a message to oneself comes after all that was committed before. */
export async function settle({ core, person }: Tab): Promise<void> {
  const { id } = await person.api.ok<{ id: number }>('POST /messages', {
    type: 'direct',
    to: [person.id],
    content: 'settled?',
  });
  await until('the events of now', () => core.state.realm.newestMessageId.peek() >= id);
}
