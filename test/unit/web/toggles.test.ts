/** Reactions and stars that a reader turns on and off faster than the server answers. */
import t from 'tap';
import { ApiFailure, MessageStore } from '../../../web/src/core/index.js';
import { OptimisticToggles } from '../../../web/src/messages/toggles.js';
import { ME, messageOf } from './fake-server.js';

const TADA = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' };

/** A server that answers when the test says so. */
function makeToggles() {
  const store = new MessageStore();
  store.addArrivedMessage(messageOf(5, 'plans'));
  const requests: string[] = [];
  const answers: { resolve: (answer: never) => void; reject: (error: Error) => void }[] = [];
  const request = (method: string) => (path: string, params: Record<string, unknown>) => {
    requests.push(`${method} ${path} ${params.op ?? params.emoji_name}`);
    return new Promise<never>((resolve, reject) => answers.push({ resolve, reject }));
  };
  const api = { post: request('POST'), delete: request('DELETE') };
  const reader = { id: ME, email: 'me@example.com', full_name: 'Me' };
  const noTimers = { setTimer: () => 0, clearTimer() {} };
  const toggles = new OptimisticToggles(
    api as ConstructorParameters<typeof OptimisticToggles>[0],
    store,
    () => reader,
    noTimers,
  );
  const turns = () => new Promise(setImmediate);
  return {
    toggles,
    requests,
    reactions: () => store.peek(5)!.reactions.map(({ emoji_name, user_id }) => `${emoji_name} by ${user_id}`),
    flags: () => store.peek(5)!.flags,
    answer: async () => {
      answers.shift()!.resolve({} as never);
      await turns();
    },
    refuse: async (text: string) => {
      answers.shift()!.reject(new ApiFailure(400, 'BAD_REQUEST', text, undefined, {}));
      await turns();
    },
    turns,
  };
}

t.test('a reaction shows before the server has answered', async (t) => {
  const { toggles, reactions, answer, turns } = makeToggles();
  const done = toggles.setReaction(5, TADA, true);
  t.same(reactions(), [`tada by ${ME}`]);
  await turns();
  await answer();
  await done;
  t.same(reactions(), [`tada by ${ME}`]);
});

t.test('a second press takes the reaction back, and its request goes after the first answer', async (t) => {
  const { toggles, reactions, requests, answer, turns } = makeToggles();
  const done = Promise.all([toggles.setReaction(5, TADA, true), toggles.setReaction(5, TADA, false)]);
  t.same(reactions(), []);
  await turns();
  t.same(requests, ['POST /messages/{message_id}/reactions tada']);
  await answer();
  t.same(requests[1], 'DELETE /messages/{message_id}/reactions tada');
  await answer();
  await done;
  t.same(reactions(), []);
});

t.test('a refused reaction disappears again', async (t) => {
  const { toggles, reactions, refuse, turns } = makeToggles();
  const done = t.rejects(toggles.setReaction(5, TADA, true), { message: 'Invalid message(s)' });
  await turns();
  await refuse('Invalid message(s)');
  await done;
  t.same(reactions(), []);
});

t.test('a reaction that another tab has added stays', async (t) => {
  const { toggles, reactions, refuse, turns } = makeToggles();
  const done = toggles.setReaction(5, TADA, true);
  await turns();
  await refuse('Reaction already exists.');
  await done;
  t.same(reactions(), [`tada by ${ME}`]);
});

t.test('a star that is pressed a third time is sent once, and a refusal takes it back', async (t) => {
  const { toggles, flags, requests, refuse, turns } = makeToggles();
  const presses = [true, false, true].map((on) => t.rejects(toggles.setStar(5, on), { message: 'no' }));
  await turns();
  t.same(flags(), ['starred']);
  await refuse('no');
  await Promise.all(presses);
  t.same(requests, ['POST /messages/flags add']);
  t.same(flags(), []);
});
