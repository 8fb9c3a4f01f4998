/** Drafts and other things that a page holds for an account; the test controls time and answers. */
import t from 'tap';
import type { HttpRequest } from '../../../web/src/core/index.js';
import {
  answer,
  answerRegistration,
  answerSignedIn,
  FakePlatform,
  FakeServer,
  isPoll,
  ME,
  signInAs,
  signOut,
  startLiveCore,
  turns,
} from './fake-server.js';

const TO = { stream: 7, topic: 'plans' };

async function setUp(settings: object = {}) {
  const server = new FakeServer();
  const platform = new FakePlatform(server);
  const saved: HttpRequest[] = [];
  server.other = (request) => {
    if (request.path.endsWith('/register')) return answerRegistration(ME, settings);
    if (!request.path.endsWith('/drafts')) return answerSignedIn(request);
    saved.push(request);
    return answer({ ids: [saved.length] });
  };
  const core = await startLiveCore(platform);
  server.held.splice(0);
  return { server, platform, core, saved };
}

t.test('a draft that could not be saved is not saved for the next account, and is there for its own', async (t) => {
  const { server, platform, core, saved } = await setUp();
  const draft = core.draftService.openNewestOrNew(TO);
  draft.setContent('secret');
  await platform.pass(1_000);
  server.held.splice(0, server.held.length - 1);
  await server.lose();
  t.equal(draft.phase.value, 'unsaved');
  await signOut(server, core);
  await signInAs(server, core, 2);
  await platform.pass(20_000);
  t.equal(saved.length, 1, 'only the first attempt');
  t.equal(core.draftService.openNewestOrNew(TO).content.value, '');
  await signOut(server, core);
  await signInAs(server, core, ME);
  t.equal(core.draftService.openNewestOrNew(TO).content.value, 'secret');
});

t.test('an empty draft takes no text that is kept for its conversation or without an address', async (t) => {
  const { platform, core } = await setUp({ enable_drafts_synchronization: false });
  for (const to of [undefined, TO]) {
    const note = core.draftService.openNewestOrNew(to);
    note.setContent('note');
    note.closeAndSaveNow();
    await platform.pass(0);
  }
  t.equal(core.draftService.openEmpty(TO).content.value, '');
  await platform.pass(2_000);
  for (const to of [undefined, TO]) t.equal(core.draftService.openNewestOrNew(to).content.value, 'note');
});

t.test('an account that takes the place of another one gets neither its edit box nor its offline copy', async (t) => {
  const { server, platform, core } = await setUp();
  platform.values.set('offline/window/key', '{"messages":[],"foundNewest":true}');
  core.sharedViewState.editedMessageId.value = 4;
  const { other } = server;
  server.other = (request) =>
    isPoll(request.path) ? answer({ result: 'error', code: 'BAD_EVENT_QUEUE_ID', msg: '' }, 400) : other(request);
  await signInAs(server, core, 2);
  await turns();
  t.equal(core.state.me.userIdSignal.value, 2);
  t.equal(core.sharedViewState.editedMessageId.value, undefined);
  t.strictSame([...platform.values.keys()], []);
});
