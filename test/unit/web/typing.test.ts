/** Typing notices change only what they are about. */
import { effect } from '@preact/signals-core';
import t from 'tap';
import { ClientState } from '../../../web/src/core/index.js';
import { FakePlatform, FakeServer } from './fake-server.js';

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
