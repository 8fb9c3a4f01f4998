/** The link-preview actor, over a clock that was ahead. */
import t from 'tap';
import { linkPreviewActorKind } from '#actors/link-preview';
import type { WebPageHeadFetcher } from '#domain/link-previews';
import { linkPreviewActorKey, toRealmId } from '#model';
import { linkPreviewActorCommands } from '#model/commands';
import { until } from '../../support/until.js';
import { Harness } from '../runtime/harness.js';

const YEAR = 365 * 86_400_000;
const KEY = linkPreviewActorKey(toRealmId(1));

t.test('pages that were to be fetched while the clock was ahead are fetched once it is right', async (t) => {
  const fetched: string[] = [];
  const pages = {
    fetchHeadOrUndefined: async (url: string) => void fetched.push(url),
  } as unknown as WebPageHeadFetcher;
  const harness = new Harness({ links: linkPreviewActorKind }, true, (clock) => ({ clock, pages }));
  const { clock } = harness;
  const link = (message: number, url: string) =>
    harness.ask(KEY, linkPreviewActorCommands.fetchLinks, { message, conversation: 'stream/1/4', urls: [url] });
  clock.correctWallTime(YEAR);
  await harness.take(KEY);
  await link(1, 'http://a.example');
  await clock.advanceAsync(1);
  await until('the page is fetched', () => fetched.length === 1);
  await harness.lose('released', KEY);
  harness.holdsOutgoingWork = true;
  harness.newHost();
  await harness.take(KEY);
  await link(2, 'http://b.example');
  await harness.lose('released', KEY);
  clock.correctWallTime(-YEAR);
  harness.holdsOutgoingWork = false;
  harness.newHost();
  await harness.take(KEY);
  await clock.advanceAsync(60_000);
  await until('the next host fetches what was left', () => fetched.length === 2);
  await until('it is done', async () => (await harness.store.listParts(KEY, 'message/')).length === 0);
  await link(3, 'http://a.example');
  await clock.advanceAsync(1_000);
  await until('a page without a preview is looked at again', () => fetched.length === 3);
  t.same(fetched, ['http://a.example', 'http://b.example', 'http://a.example']);
});
