/** Large calls of POST /users/me/subscriptions: the contents of one commit, and the rest for the next. */
import t from 'tap';
import type { JsonObject } from '#base';
import { toRealmId } from '#model';
import type { UsersYetToJoinStream } from '#model/commands';
import type { DirectoryStream } from '#model/records';
import { SubscribePlan } from '../../../actors/realm/commands/subscriptions/subscription-plan.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const NOTICE = { to: 'stream/1/1', name: 'notice', args: {}, caller: 0 } as never;
const stream = (id: number): DirectoryStream =>
  ({ id, name: `stream ${id}`, description: '', renderedDescription: '' }) as never;
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

/** Carries all of it out, commit after commit. */
function carriedOut(users: number, streams: readonly number[], members: Map<number, number[]>) {
  const people = range(1_000, users).map((id) => person(id));
  const first = new SubscribePlan(REALM, people, 1_000, members, new Map([['stream 1', '#abcdef']]));
  for (const id of streams) first.planJoinsToStream(stream(id), false);
  const joined: string[] = [];
  const colors: string[] = [];
  let largest = 0;
  let commits = 0;
  const [users1, streams1, ...after] = first.makeCommandStages(7, [[NOTICE]]);
  const later = after.filter(([one]) => one !== NOTICE);
  if (later.length > 0)
    t.same(later.pop()![0]!.args, { streams: [], afterwards: [[NOTICE]] }, 'what follows comes last');
  const carryOn = function* () {
    yield [users1, streams1];
    for (const [command] of later) {
      t.equal(command!.to, 'realm/1', 'a command to itself for what is left');
      const plan = new SubscribePlan(REALM, [], 1_000, members, new Map());
      const { streams: left } = JSON.parse(JSON.stringify(command!.args)) as { streams: UsersYetToJoinStream[] };
      for (const one of left) plan.addJoinsLeftByEarlierCommit(stream(one.stream), one);
      const stages = plan.makeCommandStages(7);
      t.equal(stages.length, 2, 'which sends itself no other');
      yield stages;
    }
  };
  for (const stages of carryOn()) {
    commits++;
    largest = Math.max(largest, JSON.stringify(stages).length);
    for (const { to, args } of stages[0] ?? []) {
      for (const { stream: of, subscribers, color } of args.streams as unknown as JsonObject[]) {
        const { id } = of as unknown as DirectoryStream;
        joined.push(`${to} ${id}`);
        if (color !== null) colors.push(`${to} ${id} ${color}`);
        const told = subscribers as readonly number[];
        if (told.length <= (members.get(id)?.length ?? 0)) t.fail('who joins is among the subscribers');
      }
    }
    for (const { to, args } of stages[1] ?? []) {
      const id = Number(String(to).split('/').at(-1));
      members.set(id, [...(members.get(id) ?? []), ...(args.users as readonly number[])]);
    }
  }
  return { first, joined, colors, largest, commits };
}

t.test('a few users who join a few streams take one commit', async (t) => {
  const { commits, joined, colors } = carriedOut(3, [1, 2], new Map());
  t.equal(commits, 1);
  t.equal(joined.length, 6);
  t.same(colors, ['user/1/1000 1 #abcdef'], 'the colour is for the caller');
});

t.test('a crowd that joins a crowded stream is published in several commits, each user once', async (t) => {
  const { first, commits, joined, colors, largest } = carriedOut(1_000, [1, 2], new Map([[1, range(100_000, 5_000)]]));
  t.ok(commits > 5, `${commits}`);
  t.ok(largest < 8 * 1024 * 1024, `${largest}`);
  t.equal(joined.length, 2_000);
  t.equal(new Set(joined).size, 2_000);
  t.same(colors, ['user/1/1000 1 #abcdef']);
  t.same(
    first.subscribedStreamNamesByEmail[person(1_999).email],
    ['stream 1', 'stream 2'],
    'the answer names all of them',
  );
  t.ok(first.isJoining(2, 1_999));
});

t.test('each commit has one user, however many subscribers there are', async (t) => {
  const { commits, joined } = carriedOut(3, [1], new Map([[1, range(100_000, 500_000)]]));
  t.equal(commits, 3);
  t.equal(joined.length, 3);
});

t.test('users who joined meanwhile are skipped', async (t) => {
  const plan = new SubscribePlan(REALM, [], 1_000, new Map([[1, [1_000, 1_001]]]), new Map());
  plan.addJoinsLeftByEarlierCommit(stream(1), { stream: 1, users: [1_000, 1_001], color: null });
  t.same(plan.makeCommandStages(7), []);
});
