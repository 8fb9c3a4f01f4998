/** Bot of the public Python package `zulip_bots`, unmodified, run by the package's own runner. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Embedded } from './support/face.js';
import { botRunner } from './support/install.js';
import { Child } from './support/process.js';
import { until } from './support/wait.js';

const VERSION = '0.9.1';
const runner = await botRunner(VERSION);

if (runner) {
  t.test('a bot answers mentions and direct messages', async (test) => {
    const face = await Embedded.start();
    test.teardown(() => face.stop());
    const owner = face.api();
    const other = face.api(face.other);
    const made = await owner.ok('POST', '/bots', { full_name: 'Hello Bot', short_name: 'hello', bot_type: 1 });
    const id = made.user_id as number;
    const { user } = await owner.ok('GET', `/users/${id}`);
    const { email } = user as { email: string };
    const zuliprc = join(face.dataDir, 'bot.zuliprc');
    writeFileSync(zuliprc, `[api]\nemail=${email}\nkey=${made.api_key}\nsite=${face.site}\n`, { mode: 0o600 });
    await owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'bots' }], principals: [id] });
    await other.subscribe('bots');

    const bot = new Child(runner, ['helloworld', '--config-file', zuliprc], { ...process.env, HOME: face.dataDir });
    test.teardown(() => bot.stop());
    const inStream = { operator: 'stream', operand: 'bots' };
    const direct = { operator: 'dm', operand: email };
    const said = async (narrow: Record<string, unknown>): Promise<string[]> =>
      (await other.messages([narrow, { operator: 'sender', operand: email }])).map(({ content }) => content);
    const answered = (narrow: Record<string, unknown>, times: number, withinMs?: number): Promise<number> =>
      until(`${times} answers`, async () => (await said(narrow)).length >= times, withinMs);

    // The runner doesn't report when it has registered: repeat the message until the bot answers.
    for (let heard = false, tries = 0; !heard; tries++) {
      if (bot.over || tries > 40) throw new Error(`no answer: ${bot.stderr}`);
      await other.send('bots', '@**Hello Bot** hello?');
      heard = await answered(inStream, 1, 500).then(
        () => true,
        () => false,
      );
    }
    await other.ok('POST', '/messages', { type: 'direct', to: [id], content: 'hello' });
    await answered(direct, 1);
    // The bot answers in order, so this answer follows those to all earlier messages.
    const before = await said(inStream);
    await other.send('bots', 'not for the bot');
    await other.ok('POST', '/messages', { type: 'direct', to: [id], content: 'hello again' });
    await answered(direct, 2);
    const all = [...(await said(inStream)), ...(await said(direct))];
    test.equal(all.length, before.length + 2, 'the bot answers only mentions and direct messages');
    test.strictSame([...new Set(all)], ['beep boop'], "each answer is the bot's text");
  });
}
