/** Messages that integrations make of payloads. */
import fc from 'fast-check';
import t from 'tap';
import type { Json } from '#base';
import { convertSlackTextToMarkdown, findIncomingIntegration, INCOMING_INTEGRATIONS } from '#domain/integrations';
import { renderMarkdown } from '#domain/markdown';
import { toCheckedMessageContent } from '#domain/messages';
import { toCheckedTruncatedTopic } from '#domain/streams';

const messageOf = (name: string, payload: Json) => findIncomingIntegration(name)!.makeMessage(payload);
const contentOf = (name: string, payload: Json): string | undefined => messageOf(name, payload)?.content;
const slack = (payload: Json): string | undefined => contentOf('slack_incoming', payload);

t.test('JSON is shown indented, in a block of code that no payload can end', async (t) => {
  t.same(messageOf('json', { a: '```\n', b: [null, 1.5] }), {
    topic: 'JSON',
    content: '```json\n{\n  "a": "```\\n",\n  "b": [\n    null,\n    1.5\n  ]\n}\n```',
  });
});

t.test("Slack's markup becomes Markdown", async (t) => {
  const text = '*bold* _italic_ ~struck~ `*code*` <https://a.example/x_y_z|site> <https://b.example> a &lt; b &amp; c';
  t.equal(
    slack({ text }),
    '**bold** *italic* ~~struck~~ `*code*` [site](https://a.example/x_y_z) https://b.example a < b & c',
  );
  t.equal(slack({ text: '*as it is* &gt;', mrkdwn: false }), '*as it is* >');
});

t.test("a block of code that stands inside Slack's lines keeps its first line, and the text around it", async (t) => {
  const fence = '```';
  for (const [text, content] of [
    [
      `look:\n${fence}const x = 1;\n  *y* &lt; 2;${fence}\nand *then*`,
      `look:\n${fence}\nconst x = 1;\n  *y* < 2;\n${fence}\nand **then**`,
    ],
    [`see ${fence}\n  a\n${fence} and ${fence}b${fence}`, `see\n${fence}\n  a\n${fence}\nand\n${fence}\nb\n${fence}`],
    [`${fence}first\nsecond${fence}`, `${fence}\nfirst\nsecond\n${fence}`],
    [`\`a\` ${fence} *b*`, `\`a\` ${fence} **b**`],
  ] as const)
    t.equal(slack({ text }), content);
});

t.test("a line after a quote or a list item of Slack's text is outside of it", async (t) => {
  for (const [text, content] of [
    ['&gt; we ship on Friday\nNo, *Monday*.', '> we ship on Friday\n\nNo, **Monday**.'],
    ['&gt; a\n&gt; b\n\nc', '> a\n> b\n\nc'],
    ['&gt; &gt; a\n&gt; b', '> > a\n>\n> b'],
    ['1. a\n2. b\nnot a list', '1. a\n2. b\n\nnot a list'],
    ['- a\n&gt; b', '- a\n\n> b'],
    ['- a\n  more of a\nb', '- a\n  more of a\nb'],
    ['before\n&gt;&gt;&gt; a\nb', 'before\n> a\n> b'],
    ['`1.`\n2.5\n-x\ny', '`1.`\n2.5\n-x\ny'],
  ] as const)
    t.equal(slack({ text }), content);
  const section = (text: string) => ({ type: 'rich_text_section', elements: [{ type: 'text', text }] });
  const list = { type: 'rich_text_list', style: 'bullet', elements: [section('a')] };
  t.equal(slack({ blocks: [{ type: 'rich_text', elements: [list, section('b')] }] }), '* a\n\nb');
});

t.test('addresses of files at Slack lose their token, others keep their parameters', async (t) => {
  const file = 'https://files.slack.com/files-pri/T1-F1/pay.pdf';
  t.equal(
    slack({
      text: `<${file}?t=xoxe-1-a|*pay*> <${file}?a=1&amp;t=xoxe-1-a&amp;b=2> <https://a.example/?t=1> *<${file}?t=x_y>*`,
      attachments: [{ title: 'file', title_link: `${file}?t=xoxe-1-a`, image_url: `${file}?t=xoxe-1-a&b=2` }],
    }),
    [
      `[*pay*](${file}) ${file}?a=1&b=2 https://a.example/?t=1 **${file}**`,
      `**[file](${file})**`,
      `[image](${file}?b=2)`,
    ].join('\n\n'),
  );
});

t.test("emoji of Slack's texts have their names here, without skin tones", async (t) => {
  t.equal(
    slack({ text: ':woman-shrugging: :flag-nl: :man-woman-girl: :simple_smile: :+1::skin-tone-4: _:star-struck:_' }),
    ':woman_shrugging: :flag_nl: :man_woman_girl: :slight_smile: :+1: *:star_struck:*',
  );
  t.equal(
    slack({ text: '`:flag-nl:` :no-such: 12:30:45 <https://a.example/:flag-nl:>' }),
    '`:flag-nl:` :no-such: 12:30:45 https://a.example/:flag-nl:',
  );
  const elements = [{ type: 'rich_text_section', elements: [{ type: 'emoji', name: 'flag-nl' }] }];
  t.equal(slack({ blocks: [{ type: 'rich_text', elements }] }), ':flag_nl:');
});

t.test("a mention in Slack's text is one, whatever is before it", async (t) => {
  const user = (id: string) => ({ id: Number(id.slice(1)), name: 'Ann' });
  const lookups = { user, channel: () => 'ops', everybody: '@**all**' };
  const context = {
    userById: (id: number) => ({ id, name: 'Ann' }),
    usersNamed: () => [],
  };
  for (const [text, content, mentions] of [
    ['Thanks<@U1> cc:<@U2>', 'Thanks @**Ann|1** cc: @**Ann|2**', 2],
    ['<@U1><@U2> (<@U3>)', '@**Ann|1** @**Ann|2** (@**Ann|3**)', 3],
    ['*<@U1>* _<@U2> and more_ ~see <@U3>~', '@**Ann|1** @**Ann|2** *and more* ~~see @**Ann|3**~~', 3],
    ['`a`<@U1> in<#C1>', '`a` @**Ann|1** in #**ops**', 1],
    ['*<@U1> 2 * 3', '* @**Ann|1** 2 * 3', 1],
  ] as const) {
    const converted = convertSlackTextToMarkdown(text, lookups);
    t.equal(converted.content, content);
    const { html } = renderMarkdown(converted.content, context as never);
    t.equal(html.split('data-user-id').length - 1, mentions, html);
  }
});

t.test("a link of Slack's text stays one with brackets in its name or a blank in its address", async (t) => {
  t.equal(slack({ text: '<https://a.example/a b|see [1]>' }), '[see (1)](https://a.example/a%20b)');
});

t.test('blocks of Slack with Markdown or a video come in place of the text', async (t) => {
  const video = { type: 'video', title: { type: 'plain_text', text: 'Demo' }, title_url: 'https://v.example/1' };
  t.equal(
    slack({ text: 'fallback', blocks: [{ type: 'markdown', text: '**as** it is' }, video] }),
    '**as** it is\n\n[Demo](https://v.example/1)',
  );
});

t.test('the address behind a named link of Slack to a mailbox is kept', async (t) => {
  t.equal(
    slack({ text: '<mailto:a@b.example|a@b.example> <mailto:a@b.example> <mailto:a@b.example|write>' }),
    'a@b.example a@b.example [write](mailto:a@b.example)',
  );
});

t.test('a text of Slack with the placeholder character of references stays unchanged', async (t) => {
  const reference = `<https://a.example/${'x'.repeat(1_000)}>`;
  const own = '\uE0000\uE001'.repeat(1_000);
  t.equal(
    slack({ text: `${reference} ${own} <https://b.example>` }),
    `${reference.slice(1, -1)} ${own} https://b.example`,
  );
});

t.test('a payload of Slack mentions nobody', async (t) => {
  t.equal(slack({ text: '<!channel> <!here|here> <@U1|ann> <!subteam^S1|@ops>' }), '@all @all @ann @ops');
  t.equal(slack({ text: 'ask <!subteam^S1>' }), 'ask @S1');
  const lookups = { user: () => undefined, channel: () => undefined, everybody: '@**all**' };
  t.equal(convertSlackTextToMarkdown('<!everyone>', lookups).content, '@**all**', 'an import does');
});

t.test('the channel of a Slack payload is the topic', async (t) => {
  for (const [channel, topic] of [
    ['#ops', 'ops'],
    ['@ann', 'ann'],
    [' a\u0000\nb ', 'a b'],
    ['#', '(no topic)'],
    [7, '(no topic)'],
  ] as const)
    t.equal(messageOf('slack_incoming', { text: 'x', channel })?.topic, topic);
});

t.test('blocks of Slack come in place of the text, in their order; those with controls are left out', async (t) => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Deploy *1*' } },
    { type: 'section', text: { type: 'mrkdwn', text: '*done* by <@U1|ann>' } },
    { type: 'divider' },
    {
      type: 'section',
      fields: [
        { type: 'mrkdwn', text: '*Env*: live' },
        { type: 'plain_text', text: 'Time: 3 s' },
      ],
    },
    { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Undo' } }] },
    {
      type: 'context',
      elements: [
        { type: 'image', image_url: 'https://a.example/i.png', alt_text: 'icon' },
        { type: 'mrkdwn', text: '_now_' },
      ],
    },
    { type: 'image', image_url: 'https://a.example/(1).png', title: { type: 'plain_text', text: 'A [graph]' } },
  ];
  t.equal(
    slack({ text: 'fallback', blocks }),
    [
      '## Deploy *1*',
      '**done** by @ann',
      '---',
      '**Env**: live\nTime: 3 s',
      '[icon](https://a.example/i.png) *now*',
      '[A (graph)](https://a.example/%281%29.png)',
    ].join('\n\n'),
  );
  t.equal(slack({ text: 'fallback', blocks: [{ type: 'actions' }] }), 'fallback');
});

t.test('attachments of Slack follow the text; the fallback counts where nothing else is there', async (t) => {
  const attachments = [
    {
      fallback: 'unused',
      pretext: 'Before',
      title: 'Build 7',
      title_link: 'https://ci.example/7',
      text: '*failed*',
      fields: [{ title: 'Branch', value: 'main', short: true }, { title: 'Tries', value: 3 }, { value: 'no title' }],
    },
    { fallback: 'only this', color: 'danger' },
    {
      title: 'No link',
      title_link: 'javascript:alert(1)',
      blocks: [{ type: 'section', text: { text: 'in a block' } }],
    },
  ];
  t.equal(
    slack({ text: 'Report', attachments }),
    [
      'Report',
      'Before',
      '**[Build 7](https://ci.example/7)**',
      '**failed**',
      '**Branch**: main\n**Tries**: 3\nno title',
      'only this',
      '**No link**',
      'in a block',
    ].join('\n\n'),
  );
});

t.test('rich text of Slack is shown where no text says the same', async (t) => {
  const section = (...elements: readonly Json[]) => ({ type: 'rich_text_section', elements });
  const words = (text: string, style: Json = {}) => ({ type: 'text', text, style });
  const elements = [
    section(
      words('Hi '),
      { type: 'usergroup', usergroup_id: 'S1' },
      words(' bold ', { bold: true }),
      words('x*', { code: true }),
      words(' '),
      { type: 'link', url: 'https://a.example', text: 'site' },
      { type: 'emoji', name: 'tada' },
    ),
    { type: 'rich_text_list', style: 'ordered', elements: [section(words('one')), section(words('two'))] },
    { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [section(words('deep', { italic: true }))] },
    { type: 'rich_text_quote', elements: [words('a\nb')] },
    { type: 'rich_text_preformatted', elements: [words('```\n<b>')] },
  ];
  const blocks = [{ type: 'rich_text', elements }];
  t.equal(
    slack({ blocks }),
    [
      'Hi @S1 **bold** `x*` [site](https://a.example):tada:',
      '1. one\n2. two\n  * *deep*\n',
      '> a\n> b\n',
      '````\n```\n<b>\n````',
    ].join('\n'),
  );
  t.equal(slack({ text: '*the same*', blocks }), '**the same**');
});

t.test('a preview of a link in a text of Slack is shown only where nothing else is', async (t) => {
  const attachments = [{ text: 'a preview', from_url: 'https://a.example' }, { text: 'an attachment' }];
  t.equal(slack({ text: 'see', attachments }), 'see\n\nan attachment');
  t.equal(slack({ attachments: attachments.slice(0, 1) }), 'a preview');
});

t.test('texts of Slack that no message could show are not translated', async (t) => {
  const blocks = Array.from({ length: 100 }, () => ({ type: 'section', text: { text: '*a* '.repeat(5_000) } }));
  const content = slack({ blocks })!;
  t.ok(content.startsWith('**a** **a** '));
  t.equal(content.split('\n\n').length, 2, 'of 20,000 characters each');
});

const slow = {
  status: 'firing',
  labels: { alertname: 'Slow', instance: 'a:9100', severity: 'page' },
  annotations: { summary: 'p99 is\nhigh' },
  generatorURL: 'http://prometheus.example/graph?g0.expr=up(1)',
};

t.test('each alert of Alertmanager is a line; the topic is the name that they share', async (t) => {
  const line =
    ':alert: **Firing** [Slow](http://prometheus.example/graph?g0.expr=up%281%29): p99 is high `instance=a:9100` `severity=page`';
  t.same(messageOf('alertmanager', { alerts: [slow] }), { topic: 'Slow', content: line });
  const calm = { status: 'resolved', labels: { alertname: 'Slow', job: 'a`b' } };
  t.same(messageOf('alertmanager', { alerts: [slow, calm], truncatedAlerts: 2 }), {
    topic: 'Slow',
    content: `* ${line}\n* :squared_ok: **Resolved** Slow \`job=a'b\`\n* 2 more`,
  });
  const mixed = { alerts: [slow, { status: 'firing', labels: { alertname: 'Full' } }] };
  t.equal(messageOf('alertmanager', mixed)?.topic, 'Alertmanager');
});

t.test('alerts of Grafana have their panel and their values; those of old versions are known too', async (t) => {
  const alert = { ...slow, panelURL: 'https://grafana.example/p', values: { B: 22.5 } };
  t.same(messageOf('grafana', { title: '[FIRING:1]', alerts: [alert] }), {
    topic: 'Slow',
    content:
      ':alert: **Firing** [Slow](https://grafana.example/p): p99 is high `instance=a:9100` `severity=page` `B=22.5`',
  });
  const legacy = { ruleName: 'CPU', ruleUrl: 'https://grafana.example/r', state: 'ok', message: 'fine' };
  t.same(messageOf('grafana', { ...legacy, evalMatches: [{ metric: 'load', value: 0.2 }] }), {
    topic: 'CPU',
    content: ':squared_ok: **Ok** [CPU](https://grafana.example/r): fine `load=0.2`',
  });
});

/** JSON with names that integrations read, so that its parts get as far as possible. */
const NAMES = [
  ...['text', 'blocks', 'attachments', 'channel', 'type', 'fields', 'elements', 'title', 'value', 'image_url'],
  ...['alerts', 'labels', 'annotations', 'alertname', 'status', 'values', 'ruleName', 'evalMatches', '__proto__'],
];
const LEAVES = ['section', 'header', 'context', 'image', '', '*_~`<', '\u0000', '\ud800', 'https://a.example', 0, null];
const { payload } = fc.letrec<{ payload: Json }>((tie) => ({
  payload: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(fc.constantFrom(...LEAVES), fc.string(), fc.double(), fc.boolean()) as fc.Arbitrary<Json>,
    fc.array(tie('payload'), { maxLength: 4 }) as fc.Arbitrary<Json>,
    fc.dictionary(fc.constantFrom(...NAMES), tie('payload'), { maxKeys: 6 }) as fc.Arbitrary<Json>,
  ),
}));

t.test('any JSON gives a message that can be sent, or none', async () => {
  fc.assert(
    fc.property(payload, (payload) => {
      for (const { makeMessage } of INCOMING_INTEGRATIONS) {
        const message = makeMessage(payload);
        if (!message) continue;
        toCheckedMessageContent(message.content);
        toCheckedTruncatedTopic(message.topic);
      }
    }),
    { numRuns: 2_000 },
  );
});
