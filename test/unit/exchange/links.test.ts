/** Links and mentions in imported texts: they refer to the same objects on this server, at its own address. */
import t, { type Test } from 'tap';
import { ImportedIdMap, ImportedMessageIdMap } from '../../../src/app/exchange/ids.js';
import { ImportedLinkRewriter } from '../../../src/app/exchange/tables/links.js';
import { person } from '../../support/person.js';

const OLD_FILE = '9/a1/M1u3SXP7JXcuxSdVpTYqGM2x/notes.txt';
const NEW_FILE = '1/e6/000003fEUPCUnAhFlXQBN8j1/notes.txt';
const OLD_DOTTED_FILE = '9/a1/OtherXP7JXcuxSdVpTYqGM2x/etc.';
const NEW_DOTTED_FILE = '1/e6/000003OtherUnAhFlXQBN8j1/etc.';

function rewriter(formerSite?: string): ImportedLinkRewriter {
  const streamIdMap = new ImportedIdMap('stream');
  streamIdMap.addNewId(301, 1);
  const userIdMap = new ImportedIdMap('user');
  userIdMap.addNewId(501, 8);
  userIdMap.addNewId(503, 9);
  const groupIdMap = new ImportedIdMap('group');
  groupIdMap.addNewId(701, 20);
  const messageIdMap = new ImportedMessageIdMap();
  messageIdMap.assignNextNewId(90016);
  const newFilePathByOldPath = new Map([
    [OLD_FILE, NEW_FILE],
    [OLD_DOTTED_FILE, NEW_DOTTED_FILE],
  ]);
  const facts = { origin: 'https://new.example', formerSite };
  const idMaps = { streamIdMap, userIdMap, groupIdMap, messageIdMap };
  const directoryRecords = {
    users: [person(8, { fullName: 'Robert' }), person(9, { fullName: 'Cy' })],
    streams: [{ id: 1, name: 'lobby' }],
    groups: [{ id: 20, name: 'mates' }],
  };
  return new ImportedLinkRewriter({ ...idMaps, directoryRecords, newFilePathByOldPath, facts } as never);
}

const OLD_NARROW = '#narrow/stream/301-x/topic/T/near/90016';
const NEW_NARROW = '#narrow/stream/1-x/topic/T/near/1';

function checkTexts(
  test: Test,
  site: string | undefined,
  texts: readonly (readonly [string, string])[],
  html = '',
): void {
  for (const [old, expected] of texts) test.equal(rewriter(site).rewriteLinksAndMentions(old, html), expected, old);
}

t.test('a full link of the former site is a full link of the new one', async (test) => {
  checkTexts(test, 'https://old.example/', [
    [`https://old.example/${OLD_NARROW}`, `https://new.example/${NEW_NARROW}`],
    [`[x](https://old.example/${OLD_NARROW})`, `[x](https://new.example/${NEW_NARROW})`],
    [`https://old.example/user_uploads/${OLD_FILE}`, `https://new.example/user_uploads/${NEW_FILE}`],
    [`https://other.example/${OLD_NARROW}`, `https://other.example/${OLD_NARROW}`],
  ]);
});

t.test('links of the former site are rewritten whatever their scheme and the capitals of the host', async (test) => {
  for (const site of ['https://Old.example', 'http://old.example', 'https://old.example/login'])
    checkTexts(test, site, [
      [`http://old.example/${OLD_NARROW}`, `https://new.example/${NEW_NARROW}`],
      [`https://OLD.example/${OLD_NARROW}`, `https://new.example/${NEW_NARROW}`],
      [`https://old.example:8443/${OLD_NARROW}`, `https://old.example:8443/${OLD_NARROW}`],
      [`https://[/${OLD_NARROW}`, `https://[/${OLD_NARROW}`],
    ]);
});

t.test('a relative link stays a relative one', async (test) => {
  checkTexts(test, undefined, [
    [`[x](${OLD_NARROW}) [y](/${OLD_NARROW})`, `[x](${NEW_NARROW}) [y](${NEW_NARROW})`],
    [`[file](/user_uploads/${OLD_FILE})`, `[file](/user_uploads/${NEW_FILE})`],
    [`https://old.example/${OLD_NARROW}`, `https://old.example/${OLD_NARROW}`],
  ]);
});

t.test('punctuation behind a link is no part of it', async (test) => {
  for (const end of ['.', ',', '?!', '...', '**', ':', ';', '|', '~~', '`']) {
    checkTexts(test, 'https://old.example', [
      [`https://old.example/${OLD_NARROW}${end} Then`, `https://new.example/${NEW_NARROW}${end} Then`],
      [`(https://old.example/${OLD_NARROW})${end}`, `(https://new.example/${NEW_NARROW})${end}`],
      [
        `https://old.example/user_uploads/${OLD_FILE}${end} ok`,
        `https://new.example/user_uploads/${NEW_FILE}${end} ok`,
      ],
    ]);
  }
  checkTexts(test, undefined, [[`/user_uploads/${OLD_DOTTED_FILE}`, `/user_uploads/${NEW_DOTTED_FILE}`]]);
});

t.test('a mention has the new id of the user, also behind a name with a bar', async (test) => {
  checkTexts(test, undefined, [
    ['@**A|501** @_**A|B|501** @**|501** @**A|502**', '@**A|8** @_**A|B|8** @**|8** @**A|502**'],
  ]);
});

t.test('links and mentions by a former name have the present one', async (test) => {
  const html = `<p><a class="stream" data-stream-id="301" href="/#narrow/stream/301-old">#old</a>
<a class="stream-topic" data-stream-id="301" href="/#narrow/stream/301-old/topic/a.20.3E.20b">#old &gt; a &gt; b</a>
<span class="user-mention" data-user-id="501">@Bob &amp; Co</span>
<span class="user-mention silent" data-user-id="501">Bobby</span>
<span class="user-mention" data-user-id="503">@Cy</span>
<span class="user-group-mention" data-user-group-id="701">@crew</span></p>`;
  const texts = [
    ['#**old** #**old>a > b** and #**other**', '#**lobby** #**lobby>a > b** and #**other**'],
    ['@**Bob & Co** @_**Bobby|501** @**Bobby|502**', '@**Robert|8** @_**Robert|8** @**Bobby|502**'],
    ['@**Cy** @**Cy|503** @**Dora**', '@**Cy** @**Cy|9** @**Dora**'],
    ['@*crew* @_*crew* *crew*', '@*mates* @_*mates* *crew*'],
  ] as const;
  checkTexts(test, undefined, texts, html);
});

t.test('a former name that several users had stays as it was written', async (test) => {
  const html = [501, 503].map((id) => `<span class="user-mention" data-user-id="${id}">@Bobby</span>`).join();
  checkTexts(test, undefined, [['@**Bobby** @**Bobby|501**', '@**Bobby** @**Robert|8**']], html);
});

t.test('a link to a message by the names of its stream and topic leads to the message', async (test) => {
  const html = '<a class="message-link" href="/#narrow/channel/301-x/topic/T/near/90016">#x &gt; T @ 💬</a>';
  const texts = [
    ['#**x>T@90016** #**x>T@7**', '[#x > T @ 💬](#narrow/channel/1-x/topic/T/near/1) #**x>T@7**'],
  ] as const;
  checkTexts(test, undefined, texts, html);
});

t.test('mentions and links by name in code stay as they were written', async (test) => {
  const html = `<a class="stream" data-stream-id="301" href="/#narrow/stream/301-old">#old</a>
<a class="message-link" href="/#narrow/channel/301-old/topic/T/near/90016">#old &gt; T @ 💬</a>
<span class="user-mention" data-user-id="501">@Bob</span>
<span class="user-group-mention" data-user-group-id="701">@crew</span>`;
  const written = '@**Bob** @**Bob|501** @*crew* #**old** #**old>T@90016**';
  const rewritten =
    '@**Robert|8** @**Robert|8** @*mates* #**lobby** [#old > T @ 💬](#narrow/channel/1-old/topic/T/near/1)';
  const texts = [
    [`${written} \`${written}\` ${written}`, `${rewritten} \`${written}\` ${rewritten}`],
    [`\`\`a \`${written}\`\` ${written}`, `\`\`a \`${written}\`\` ${rewritten}`],
    [`a \` b\n\n${written} \` c`, `a \` b\n\n${rewritten} \` c`],
    [
      `\`\`\`py\n${written}\n\n${written}\n\`\`\`\n${written}`,
      `\`\`\`py\n${written}\n\n${written}\n\`\`\`\n${rewritten}`,
    ],
    [`~~~\n${written}`, `~~~\n${written}`],
    [
      `~~~spoiler ${written}\n${written}\n\`\`\`\n${written}\n\`\`\`\n~~~\n${written}`,
      `~~~spoiler ${rewritten}\n${rewritten}\n\`\`\`\n${written}\n\`\`\`\n~~~\n${rewritten}`,
    ],
  ] as const;
  checkTexts(test, undefined, texts, html);
});
