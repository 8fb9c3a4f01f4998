/** A server that fetches no pictures of other hosts for its readers (embedded face only). */
import type { Test } from 'tap';
import { makeImageProxyPath } from '#domain/pictures';
import { ServerCryptography } from '#domain/secrets';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, tell } from '../../support/organization.js';
import { leadsTo, lookAt } from '../../support/pictures.js';
import type { ApiMessage } from '../../support/types.js';

const SECRET = 'the secret of a server without image proxy';

export async function noImageProxy(t: Test): Promise<void> {
  const server = await startEmbedded({ options: { 'image-proxy': 'off', secret: SECRET } });
  t.teardown(() => server.close());
  const { owner, nobody } = await makeOrganization(server, []);
  const url = 'https://example.com/é.png';

  await t.test('without the proxy, messages show external pictures from their own hosts', async (t) => {
    const message_id = await tell(owner, [owner], url);
    const { message } = await owner.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id });
    t.match(message.content, `<img src="${url}">`);
  });

  await t.test(
    'without the proxy, addresses in old messages redirect to the picture; other addresses are refused',
    async (t) => {
      const signed = makeImageProxyPath(url, new ServerCryptography(SECRET).imageProxyKey)!;
      t.same(leadsTo(await lookAt(nobody, signed)), [302, 'https://example.com/%C3%A9.png']);
      t.equal((await lookAt(nobody, signed.slice(0, -2))).status, 403);
    },
  );
}
