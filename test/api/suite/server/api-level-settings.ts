/** The setting that says which client gets which API level (docs/api/levels.md; embedded face only). */
import type { Test } from 'tap';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization } from '../../support/organization.js';

export async function apiLevelSettings(t: Test): Promise<void> {
  for (const [setting, expected] of [
    ['off', [184, 184, 184]],
    ['Own-Client=277', [184, 277, 371]],
  ] as const) {
    await t.test(`--api-levels ${setting}`, async (t) => {
      const server = await startEmbedded({ options: { 'api-levels': setting } });
      t.teardown(() => server.close());
      const { owner } = await makeOrganization(server, []);
      const levelFor = async (headers: Record<string, string>): Promise<unknown> => {
        const by = owner.api.with(headers);
        const register = { method: 'POST', path: '/api/v1/register?fetch_event_types=%5B%5D' };
        const [state, settings] = await Promise.all([
          by.raw(register),
          by.raw({ method: 'GET', path: '/api/v1/server_settings' }),
        ]);
        t.equal(state.body.zulip_feature_level, settings.body.zulip_feature_level);
        return settings.body.zulip_feature_level;
      };
      const levels = [
        await levelFor({ 'user-agent': 'ZulipFlutter/30.0' }),
        await levelFor({ 'user-agent': 'own-client/1.0' }),
        await levelFor({ 'x-conclave-api-level': '400' }),
      ];
      t.same(levels, expected);
      const { body } = await owner.api
        .with({ 'x-conclave-api-level': '371' })
        .raw({ method: 'GET', path: '/api/v1/messages/999999' });
      t.match(body, { result: 'error', code: 'BAD_REQUEST' });
    });
  }
}
