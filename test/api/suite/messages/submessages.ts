/** Widgets and their submessages (messages.md § Submessages and widgets). */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const submessages: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [owner, member, guest] });
  const send = (content: string, by = owner) => say(by, 'square', 'widgets', content);
  const of = async (message_id: number, by = owner) =>
    (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id })).message.submessages;
  const attach = (by: Person, message_id: number, content: unknown, params: Params = {}) =>
    by.api.call('POST /submessage', {
      message_id,
      msg_type: 'widget',
      content: typeof content === 'string' ? content : JSON.stringify(content),
      ...params,
    });
  const first = (message_id: number, widget_type: string, extra_data: unknown) => [
    {
      id: 1,
      message_id,
      sender_id: owner.id,
      msg_type: 'widget',
      content: JSON.stringify({ widget_type, extra_data }),
    },
  ];

  await t.test('the commands /poll and /todo make a widget, from their text', async (t) => {
    const made: [string, string, unknown][] = [
      ['/poll What?\nyes\nno', 'poll', { question: 'What?', options: ['yes', 'no'] }],
      ['/poll', 'poll', { question: '', options: [] }],
      ['/poll\nyes', 'poll', { question: '', options: ['yes'] }],
      [
        '/poll  Lunch \n- soup\n* salad\n\n  bread ',
        'poll',
        { question: 'Lunch', options: ['soup', 'salad', 'bread'] },
      ],
      ['/poll A "quoted" </script>', 'poll', { question: 'A "quoted" </script>', options: [] }],
      ['/todo', 'todo', null],
      ['/todo Things', 'todo', { task_list_title: 'Things', tasks: [] }],
      [
        '/todo\nBread: two\n- Milk',
        'todo',
        {
          task_list_title: '',
          tasks: [
            { task: 'Bread', desc: 'two' },
            { task: 'Milk', desc: '' },
          ],
        },
      ],
    ];
    for (const [content, type, data] of made) {
      const id = await send(content);
      t.same(await of(id), first(id, type, data), JSON.stringify(content));
    }
    for (const content of ['/polls a', ' say /poll', '/Poll x', '/me polls', 'poll', '/todos', '/poll, please']) {
      t.same(await of(await send(content)), [], JSON.stringify(content));
    }
  });

  await t.test('the widget comes with the message', async (t) => {
    const queue = await Queue.register(member, { event_types: ['message'] });
    const id = await send('/poll Now?');
    const [event] = await queue.take(1);
    t.same((event!.message as ApiMessage).submessages, first(id, 'poll', { question: 'Now?', options: [] }));
    const direct = await tell(owner, [guest], '/todo');
    t.same(await of(direct, guest), first(direct, 'todo', null), 'in direct messages, too');
  });

  await t.test('widget_content makes a widget, whatever the text', async (t) => {
    const base = { type: 'stream', to: 'square', topic: 'widgets', content: '/poll Not this' };
    const zform = {
      type: 'choices',
      heading: 'Choose',
      choices: [{ type: 'multiple_choice', short_name: 'A', long_name: 'Apple', reply: 'apple' }],
    };
    const { id } = await owner.api.ok<{ id: number }>('POST /messages', {
      ...base,
      widget_content: { widget_type: 'zform', extra_data: zform },
    });
    t.same(await of(id), first(id, 'zform', zform));
    const refusals: [unknown, string][] = [
      ['nonsense', 'API programmer sent invalid JSON content'],
      ['', 'API programmer sent invalid JSON content'],
      ['['.repeat(5000) + ']'.repeat(5000), 'API programmer sent invalid JSON content'],
      ['[]', 'widget_content is not a dict'],
      ['5.5', 'widget_content is not a dict'],
      [{}, 'widget_type is not in widget_content'],
      [{ widget_type: 'zform' }, 'extra_data is not in widget_content'],
      [{ widget_type: 'zform', extra_data: 5 }, 'extra_data is not a dict'],
      [{ widget_type: 'poll', extra_data: {} }, 'unknown widget type: poll'],
      [{ widget_type: 7, extra_data: {} }, 'unknown widget type: 7'],
      [{ widget_type: 'zform', extra_data: {} }, 'zform is missing type field'],
      [{ widget_type: 'zform', extra_data: { type: 'x' } }, 'unknown zform type: x'],
      [{ widget_type: 'zform', extra_data: { type: 'choices' } }, 'heading key is missing from extra_data'],
      [{ widget_type: 'zform', extra_data: { ...zform, heading: 5 } }, 'extra_data["heading"] is not a string'],
      [{ widget_type: 'zform', extra_data: { ...zform, choices: {} } }, 'extra_data["choices"] is not a list'],
      [
        { widget_type: 'zform', extra_data: { ...zform, choices: [{ short_name: 'A', long_name: 'B' }] } },
        'reply key is missing from extra_data["choices"][0]',
      ],
      [
        '{"widget_type":"zform","extra_data":{"type":"choices","heading":"","choices":[],"__proto__":1}}',
        'extra_data contains an invalid key: __proto__',
      ],
      [{ widget_type: 'x'.repeat(10_000), extra_data: {} }, 'widget_content is too long (limit: 10000 characters)'],
    ];
    for (const [widget_content, reason] of refusals) {
      for (const to of [base, { type: 'direct', to: [guest.id], content: 'x' }]) {
        await refused(t, owner.api.call('POST /messages', { ...to, widget_content }), bad(`Widgets: ${reason}`));
      }
    }
  });

  await t.test('users add submessages, one after the other', async (t) => {
    const id = await send('/poll What?\nyes');
    const queues = await Promise.all(
      org.people.map((person) => Queue.register(person, { event_types: ['submessage', 'message'] })),
    );
    const added: [Person, unknown][] = [
      [owner, { type: 'question', question: 'Really?' }],
      [member, { type: 'new_option', idx: 1, option: 'no' }],
      [guest, { type: 'vote', key: `${member.id},1`, vote: 1 }],
      [guest, { type: 'vote', key: `${member.id},1`, vote: -1 }],
      // May read the message, but has no copy.
      [admin, { type: 'vote', key: 'canned,0', vote: true }],
    ];
    for (const [by, content] of added) t.equal((await attach(by, id, content)).status, 200, JSON.stringify(content));
    const expected = added.map(([by, content], i) => ({
      id: i + 2,
      message_id: id,
      sender_id: by.id,
      msg_type: 'widget',
      content: JSON.stringify(content),
    }));
    t.same(((await of(id)) as unknown[]).slice(1), expected);
    const heard = await Promise.all(queues.map(settled));
    org.people.forEach((person, i) => {
      const hears = [owner, member, guest].includes(person);
      t.same(
        heard[i]!.map(({ id: _, type: __, submessage_id, ...rest }) => ({ id: submessage_id, ...rest })),
        hears ? expected : [],
        `heard by ${person.role}`,
      );
    });
  });

  await t.test('concurrent votes all take effect', async (t) => {
    const id = await send('/poll Racing?');
    const votes = org.people.flatMap((person) =>
      Array.from({ length: 8 }, (_, i) => attach(person, id, { type: 'vote', key: `${person.id},${i}`, vote: 1 })),
    );
    t.same(new Set((await Promise.all(votes)).map(({ status }) => status)), new Set([200]));
    const kept = (await of(id)) as { id: number; content: string }[];
    t.same(
      kept.map((one) => one.id),
      Array.from({ length: votes.length + 1 }, (_, i) => i + 1),
    );
    t.equal(new Set(kept.map((one) => one.content)).size, votes.length + 1);
  });

  await t.test('a submessage is checked for its message first, then for its author, then for its data', async (t) => {
    const plain = await send('plain');
    const poll = await send('/poll What?');
    const hidden = await tell(owner, [owner], '/poll Mine?');
    await refused(t, member.api.call('POST /submessage', {}), missing('message_id'));
    await refused(t, member.api.call('POST /submessage', { message_id: poll }), missing('msg_type'));
    await refused(t, member.api.call('POST /submessage', { message_id: poll, msg_type: 'widget' }), missing('content'));
    await refused(t, attach(member, '1.0' as never, '{}'), bad('message_id is not an integer'));
    await refused(t, attach(member, poll, 'x'.repeat(10_001)), bad('content is too long (limit: 10000 characters)'));
    await refused(
      t,
      attach(member, poll, '{}', { msg_type: 'x'.repeat(101) }),
      bad('msg_type is too long (limit: 100 characters)'),
    );
    for (const [by, id] of [
      [member, 987_654],
      [member, -1],
      [admin, hidden],
      [elsewhere.member, poll],
    ] as const) {
      await refused(t, attach(by, id, 'nonsense'), bad('Invalid message(s)'), `${by.role} on ${id}`);
    }
    const nobody = org.nobody.call('POST /submessage', { message_id: poll, msg_type: 'widget', content: '{}' });
    await refused(t, nobody, { status: 401, msg: 'Not logged in: API authentication or user session required' });
    await refused(t, attach(member, plain, 'nonsense'), bad('You cannot attach a submessage to this message.'));
    await refused(t, attach(member, poll, 'nonsense'), bad('Invalid json for submessage'));
    await refused(
      t,
      attach(member, poll, '['.repeat(3000) + ']'.repeat(3000)),
      bad('Invalid json for submessage'),
      'too deep',
    );
    t.same(await of(plain), []);
    t.equal(
      (await attach(owner, plain, '[1.5]', { msg_type: 'other' })).status,
      200,
      'the author may begin, with anything',
    );
    t.equal((await attach(member, plain, '"x"', { msg_type: '' })).status, 200, 'and then others may');
    t.equal(((await of(plain)) as unknown[]).length, 2);
  });

  await t.test('the data of polls and to-do lists must have the documented forms', async (t) => {
    const poll = await send('/poll What?');
    const todo = await send('/todo');
    const refusals: [number, unknown, string][] = [
      [poll, [], 'poll data is not a dict'],
      [poll, {}, 'type key is missing from poll data'],
      [poll, { type: 5 }, 'poll data["type"] is not a string'],
      [poll, { type: 'nonsense' }, 'Unknown type for poll data: nonsense'],
      [poll, { type: 'constructor' }, 'Unknown type for poll data: constructor'],
      [poll, { type: 'question', question: 'Mine?' }, "You can't edit a question unless you are the author."],
      [poll, { type: 'question' }, "You can't edit a question unless you are the author."],
      [poll, { type: 'vote' }, 'key key is missing from poll data'],
      [poll, { type: 'vote', key: 1, vote: 7 }, 'poll data["key"] is not a string'],
      ...['', 'x', '1', 'canned', 'canned,', 'canned,x', ',0', '1,-1', '1,2,3', ' 1,2', '1.5,2'].map(
        (key): [number, unknown, string] => [poll, { type: 'vote', key, vote: 1 }, 'Invalid poll data["key"]'],
      ),
      [poll, { type: 'vote', key: '1,1', vote: 7 }, 'Invalid poll data["vote"]'],
      [poll, { type: 'vote', key: '1,1', vote: '1' }, 'poll data["vote"] is not an integer'],
      [poll, '{"type":"vote","key":"1,1","vote":1.0}', 'poll data["vote"] is not an integer'],
      [poll, { type: 'vote', key: '1,1', vote: 1, more: 1 }, 'Unexpected arguments: more'],
      [poll, { type: 'new_option', option: 5, idx: 1 }, 'poll data["option"] is not a string'],
      [poll, { type: 'new_option', option: 'x', idx: '1' }, 'poll data["idx"] is not an integer'],
      [todo, {}, 'type key is missing from todo data'],
      [todo, { type: 'vote', key: '1,1', vote: 1 }, 'Unknown type for todo data: vote'],
      [todo, { type: 'new_task', key: 'x' }, 'todo data["key"] is not an integer'],
      [
        todo,
        { type: 'new_task', key: 1, task: 'a', desc: 'b', completed: 0 },
        'todo data["completed"] is not a boolean',
      ],
      [todo, { type: 'strike', key: 5 }, 'todo data["key"] is not a string'],
    ];
    for (const [id, content, msg] of refusals) await refused(t, attach(member, id, content), bad(msg));
    await refused(
      t,
      attach(owner, poll, { type: 'question', question: 5 }),
      bad('poll data["question"] is not a string'),
    );
    t.equal(((await of(poll)) as unknown[]).length, 1, 'nothing was added');
    const task = { type: 'new_task', key: 2, task: 'wash', desc: '', completed: false };
    t.equal((await attach(guest, todo, task)).status, 200);
    const title = { type: 'new_task_list_title', title: 'Errands' };
    t.equal((await attach(owner, todo, title)).status, 200);
    const notAuthor = "You can't edit the task list title unless you are the author.";
    t.match(await attach(guest, todo, title), { status: 400, body: { msg: notAuthor } });
    t.equal((await attach(member, todo, { type: 'strike', key: '0_2' })).status, 200);
  });

  await t.test('snapshot and events agree', async (t) => {
    await verifyAction(t, 'a poll is sent and voted on', org.people, async () => {
      const id = await send('/poll State?');
      await attach(member, id, { type: 'vote', key: 'canned,0', vote: 1 });
      await attach(other, id, { type: 'vote', key: 'canned,0', vote: 1 });
    });
  });
};
