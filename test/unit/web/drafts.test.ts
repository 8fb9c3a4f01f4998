/** Drafts and other things that a page holds for an account; the test controls time and answers. */
import t from 'tap';
import type { QueueEvent } from '../../../web/src/contract/index.js';
import type { Core, HttpAnswer, HttpRequest } from '../../../web/src/core/index.js';
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

t.test(
  'the list has texts that only this browser keeps, each in place of an older text of its conversation',
  async (t) => {
    const { platform, core } = await setUp({ enable_drafts_synchronization: false });
    const { ownLists } = core.state;
    const older = { id: 5, type: 'stream', to: [TO.stream], topic: 'Plans', content: 'older', timestamp: 1 } as const;
    const other = { ...older, id: 6, topic: 'other', content: 'other' };
    ownLists.draftsById.value = new Map([older, other].map((draft) => [draft.id, draft]));
    const listed = () => ownLists.listedDrafts.value.map(({ content, topic }) => [content, topic]);
    for (const [to, text] of [
      [undefined, 'no address'],
      [TO, 'newer'],
    ] as const) {
      const draft = core.draftService.openEmpty(to);
      draft.setContent(text);
      draft.closeAndSaveNow();
      await platform.pass(0);
    }
    const all = [
      ['newer', 'plans'],
      ['no address', ''],
      ['other', 'other'],
    ];
    t.strictSame(listed(), all);
    const { core: reloaded } = await (async () => {
      const server = new FakeServer();
      const again = new FakePlatform(server);
      for (const [key, value] of platform.values) again.values.set(key, value);
      server.other = (request) =>
        request.path.endsWith('/register') ? answerRegistration(ME, {}) : answerSignedIn(request);
      return { core: await startLiveCore(again) };
    })();
    await turns();
    t.strictSame(
      reloaded.state.ownLists.listedDrafts.value.map(({ content }) => content).sort(),
      ['newer', 'no address'],
      'after a reload',
    );
    const [first] = ownLists.listedDrafts.value;
    t.equal(core.draftService.openStoredById(first!.id).content.value, 'newer');
    await core.draftService.delete(first!.id);
    t.strictSame(listed(), [
      ['no address', ''],
      ['other', 'other'],
      ['older', 'Plans'],
    ]);
  },
);

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

type Step = (tab: Awaited<ReturnType<typeof openTabWithDraft>>) => unknown;

/** A tab that has the stored draft `half` open. Its requests for drafts are answered when the test says so. */
async function openTabWithDraft() {
  const server = new FakeServer();
  const platform = new FakePlatform(server);
  const stored = { id: 5, type: 'stream', to: [TO.stream], topic: TO.topic, timestamp: 1 } as const;
  const asked: string[] = [];
  let answerPoll: (polled: HttpAnswer) => void = () => {};
  platform.fetch = (request) =>
    isPoll(request.path)
      ? new Promise((resolve) => {
          answerPoll = resolve;
        })
      : server.fetch(request);
  server.other = ({ method, path, body }) => {
    if (path.endsWith('/register'))
      return answer({ ...JSON.parse(answerRegistration(ME).text), drafts: [{ ...stored, content: 'half' }] });
    if (!path.includes('/drafts')) return answerSignedIn({ method, path, headers: {} });
    const [draft] = body?.has('draft') ? [body.get('draft')!] : [body?.get('drafts') ?? ''];
    asked.push([method, /"content":"([^"]*)"/.exec(draft)?.[1]].filter(Boolean).join(' '));
    return answer(method === 'POST' ? { ids: [6] } : {});
  };
  const core: Core = await startLiveCore(platform);
  server.held.splice(0);
  let lastEventId = 1;
  const receive = async (event: object): Promise<void> => {
    const received = { ...event, id: ++lastEventId, type: 'drafts' } as QueueEvent;
    answerPoll(answer({ events: [received], queue_id: 'q' }));
    await turns();
  };
  return {
    core,
    draft: core.draftService.openNewestOrNew(TO),
    asked,
    isUpdatedTo: (content: string) => receive({ op: 'update', draft: { ...stored, content } }),
    isRemoved: () => receive({ op: 'remove', draft_id: stored.id }),
    isAnswered: () => server.deliverAll(),
    pass: () => platform.pass(1_000),
  };
}

const send: Step = ({ draft }) => draft.discardDraft();
const type =
  (text: string): Step =>
  ({ draft }) =>
    draft.setContent(text);
const isUpdatedTo =
  (text: string): Step =>
  (tab) =>
    tab.isUpdatedTo(text);
const isRemoved: Step = (tab) => tab.isRemoved();
const pass: Step = (tab) => tab.pass();
const isAnswered: Step = (tab) => tab.isAnswered();

const CROSSINGS: readonly (readonly [title: string, steps: readonly Step[], asked: readonly string[]])[] = [
  ['a draft without a text from elsewhere is deleted', [send, pass, isRemoved, pass], ['DELETE']],
  ['a draft with a text from elsewhere stays when the own text is sent', [isUpdatedTo('half B'), send, pass], []],
  [
    'a text from elsewhere that crossed the deletion is saved again',
    [send, pass, isUpdatedTo('half B'), isRemoved, pass],
    ['DELETE', 'POST half B'],
  ],
  [
    'an own text becomes a draft of its own beside a text from elsewhere',
    [isUpdatedTo('half B'), type('half A'), pass],
    ['POST half A'],
  ],
  [
    'a text from elsewhere that an own text has replaced is saved again',
    [type('half A'), pass, isUpdatedTo('half B'), isUpdatedTo('half A'), pass],
    ['PATCH half A', 'POST half B'],
  ],
  [
    'own texts are never taken for texts from elsewhere',
    [
      type('a'),
      pass,
      isAnswered,
      type('ab'),
      pass,
      isUpdatedTo('a'),
      isAnswered,
      isUpdatedTo('ab'),
      send,
      pass,
      isRemoved,
      pass,
    ],
    ['PATCH a', 'PATCH ab', 'DELETE'],
  ],
  [
    'an own text replaces one from elsewhere that it contains, such as that of the page before a reload',
    [isUpdatedTo('half B'), type('half B and A'), pass, isUpdatedTo('half B and'), isUpdatedTo('half B and A'), pass],
    ['PATCH half B and A'],
  ],
  [
    'a sent text deletes one from elsewhere that it contains',
    [type('half B and A'), isUpdatedTo('half B'), send, pass, isUpdatedTo('half B and'), isRemoved, pass],
    ['DELETE'],
  ],
  [
    'an own text is known by the form in which the server stores it',
    [type('\n\nhalf a \n'), pass, isAnswered, isUpdatedTo('half a'), type('ha'), pass],
    ['PATCH \\n\\nhalf a \\n', 'PATCH ha'],
  ],
  [
    'a text from elsewhere that the tab has shown is sent with its own',
    [
      isUpdatedTo('half B'),
      ({ core }) => core.draftService.openNewestOrNew(TO).setContent('half B and A'),
      pass,
      isAnswered,
      isUpdatedTo('half B and A'),
      ({ core }) => core.draftService.openNewestOrNew(TO).discardDraft(),
      pass,
      isRemoved,
      pass,
    ],
    ['PATCH half B and A', 'DELETE'],
  ],
  [
    'a draft that the user deletes from the list is gone, with its text from elsewhere',
    [isUpdatedTo('half B'), ({ core }) => void core.draftService.delete(5), isRemoved, pass],
    ['DELETE'],
  ],
];

for (const [title, steps, asked] of CROSSINGS) {
  t.test(title, async (t) => {
    const tab = await openTabWithDraft();
    for (const step of steps) await step(tab);
    t.strictSame(tab.asked, asked);
  });
}
