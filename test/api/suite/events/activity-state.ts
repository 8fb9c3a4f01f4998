/** Snapshot + events = state, where accounts are deactivated and active again; and for any order of such changes. */
import { rounds } from '../../../support/rounds.js';
import { addPerson, makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Follower, verifyAction, verifyRacing } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

/** Pseudo-random numbers below `n`, the same in each run. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

export const activityState: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, guest } = org;
  const watchers: readonly Person[] = [owner, admin, member, guest];
  const leaver = await addPerson(org, 'leaver');
  await subscribe(leaver, 'open', { principals: [leaver, member, guest] });
  await subscribe(leaver, 'closed', { invite_only: true, principals: [leaver, member, guest] });
  await subscribe(leaver, 'alone', { invite_only: true });
  await subscribe(leaver, 'left', { principals: [leaver, member, guest] });
  await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['left'] });
  const verify = (title: string, action: () => Promise<unknown>, people = watchers) =>
    t.test(title, (t) => verifyAction(t, title, people, action));
  const deactivate = ({ id }: Person) => owner.api.ok('DELETE /users/{user_id}', { user_id: id });
  const reactivate = ({ id }: Person) => admin.api.ok('POST /users/{user_id}/reactivate', { user_id: id });
  const change = ({ id }: Person, params: Record<string, unknown>) =>
    owner.api.ok('PATCH /users/{user_id}', { user_id: id, ...params });

  await verify('an account is deactivated', () => deactivate(leaver));
  await verify('it gets another name and role', () => change(leaver, { full_name: 'Gone', role: 600 }));
  await verify('it is active again', () => reactivate(leaver));
  await verify('it comes and goes', async () => {
    await deactivate(leaver);
    await reactivate(leaver);
    await deactivate(leaver);
    await reactivate(leaver);
  });
  await verify('its former streams change while it is away', async () => {
    await deactivate(leaver);
    await change(leaver, { role: 400 });
    await owner.api.ok('DELETE /streams/{stream_id}', { stream_id: await streamIdOf(member, 'closed') });
    await subscribe(member, 'open', { principals: [admin] });
    await reactivate(leaver);
    await subscribe(member, 'open', { principals: [leaver, owner] });
  });
  await leaver.api.ok('POST /users/me/status', { status_text: 'out', emoji_name: 'car' });
  await leaver.api.ok('POST /users/me/presence', { status: 'active' });
  await deactivate(leaver);
  await verify('clients that registered while it was away learn its status, and count it as offline', () =>
    reactivate(leaver),
  );
  await t.test('a user deactivates the own account', async (t) => {
    const quitter = await addPerson(org, 'quitter');
    await subscribe(quitter, 'open');
    // The user's own clients are shut out after the call, so clients of other users watch it.
    await verifyAction(t, 'himself', watchers, () => quitter.api.ok('DELETE /users/me'));
  });

  await t.test('registrations in the middle of many changes', async (t) => {
    const others = await Promise.all([1, 2, 3].map((n) => addPerson(org, `busy ${n}`)));
    await subscribe(member, ['open', 'busy'], { principals: [member, ...others] });
    const rush = others.flatMap((one, n) => [
      async () => {
        for (let i = 0; i < 4; i++) {
          await deactivate(one);
          await reactivate(one);
        }
      },
      async () => {
        for (const role of [600, 300, 200, 400]) await change(one, { role: role, full_name: `Busy ${n} ${role}` });
      },
    ]);
    await verifyRacing(t, 'a rush', [owner, member, guest], rush);
  });

  await t.test('any order of changes', async (t) => {
    const pick = numbers(184);
    const people = await Promise.all([1, 2, 3].map((n) => addPerson(org, `any ${n}`)));
    const active = new Map(people.map((person) => [person, true]));
    const names = ['open', 'any public', 'any private'];
    await subscribe(owner, names[1]!, { principals: [owner, member] });
    await subscribe(owner, names[2]!, { invite_only: true, principals: [owner, member, ...people] });
    const one = <T>(list: readonly T[]): T => list[pick(list.length)]!;
    const steps: readonly ((person: Person) => Promise<unknown>)[] = [
      (person) => change(person, { role: one([100, 200, 300, 400, 600]) }),
      (person) => change(person, { role: one([400, 600]), full_name: `Any ${pick(1_000)}` }),
      (person) => {
        const was = active.get(person)!;
        active.set(person, !was);
        return was ? deactivate(person) : reactivate(person);
      },
      (person) =>
        active.get(person)
          ? subscribe(owner, one(names), { principals: [person] })
          : change(person, { full_name: `Away ${pick(1_000)}` }),
      (person) =>
        active.get(person)
          ? owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: [one(names)], principals: [person.id] })
          : reactivate(person).then(() => active.set(person, true)),
    ];
    const MANY = rounds(server.kind === 'cluster' ? 3 : 6, 12);
    for (let round = 0; round < MANY; round++) {
      const followers = await Follower.all([owner, member, guest]);
      // Clients of users deactivated meanwhile are shut out, so they end.
      const own: { readonly person: Person; readonly follower: Follower }[] = [];
      for (const person of people.filter((of) => active.get(of))) {
        own.push({ person, follower: await Follower.start(person, one(['all capabilities', 'no capabilities'])) });
      }
      const shutOut = new Set<Person>();
      for (let i = 0; i < 6; i++) {
        const person = one(people);
        await one(steps)(person);
        if (!active.get(person)) shutOut.add(person);
      }
      const left = own.filter(({ person }) => !shutOut.has(person)).map(({ follower }) => follower);
      for (const follower of [...followers, ...left]) await follower.verify(t, `round ${round}`);
      for (const follower of [...followers, ...left]) await follower.queue.delete();
    }
  });
};
