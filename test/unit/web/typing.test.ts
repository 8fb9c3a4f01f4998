/** Typing notices change only what they are about. */
import { effect } from '@preact/signals-core';
import t from 'tap';
import { OwnTypingNotices } from '../../../web/src/compose/typing-notices.js';
import { ClientState } from '../../../web/src/core/index.js';
import {
  answerRegistration,
  answerSignedIn,
  FakePlatform,
  FakeServer,
  ME,
  signInAs,
  signOut,
  startLiveCore,
} from './fake-server.js';

t.test('a typing notice changes the list of its own conversation alone', async (t) => {
  const { typing } = new ClientState(new FakePlatform(new FakeServer()));
  const seen: (readonly number[])[] = [];
  t.teardown(
    effect(() => {
      seen.push(typing.makeTypingUserIdsSignal({ stream: 1, topic: 'plans' }).value);
    }),
  );
  typing.noteTypingStarted({ stream: 1, topic: 'lunch' }, 4);
  typing.noteTypingStopped({ stream: 1, topic: 'lunch' }, 4);
  t.strictSame(seen, [[]]);
  typing.noteTypingStarted({ stream: 1, topic: 'Plans' }, 4);
  typing.noteTypingStarted({ stream: 1, topic: 'plans' }, 5);
  typing.noteTypingStopped({ stream: 1, topic: 'plans' }, 4);
  t.strictSame(seen.at(-1), [5]);
});

t.test('the end of typing is not sent for the account that signs in next', async (t) => {
  const server = new FakeServer();
  const platform = new FakePlatform(server);
  server.other = (request) =>
    request.path.endsWith('/register')
      ? answerRegistration(ME, { send_stream_typing_notifications: true })
      : answerSignedIn(request);
  const core = await startLiveCore(platform);
  server.held.splice(0);
  new OwnTypingNotices(core, ME).noteKeystroke({ stream: 7, topic: 'plans' });
  await signOut(server, core);
  await signInAs(server, core, 2);
  await platform.pass(6_000);
  t.equal(server.requests.filter(({ path }) => path.endsWith('/typing')).length, 1, 'its beginning');
});
