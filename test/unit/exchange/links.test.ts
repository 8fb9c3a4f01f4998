/** Links and mentions in imported texts: they refer to the same objects on this server, at its own address. */
import t, { type Test } from 'tap';
import { ImportedIdMap, ImportedMessageIdMap } from '../../../src/app/exchange/ids.js';
import { ImportedLinkRewriter } from '../../../src/app/exchange/tables/links.js';

const OLD_FILE = '9/a1/M1u3SXP7JXcuxSdVpTYqGM2x/notes.txt';
const NEW_FILE = '1/e6/000003fEUPCUnAhFlXQBN8j1/notes.txt';
const OLD_DOTTED_FILE = '9/a1/OtherXP7JXcuxSdVpTYqGM2x/etc.';
const NEW_DOTTED_FILE = '1/e6/000003OtherUnAhFlXQBN8j1/etc.';

function rewriter(formerSite?: string): ImportedLinkRewriter {
  const streamIdMap = new ImportedIdMap('stream');
  streamIdMap.addNewId(301, 1);
  const userIdMap = new ImportedIdMap('user');
  userIdMap.addNewId(501, 8);
  const messageIdMap = new ImportedMessageIdMap();
  messageIdMap.assignNextNewId(90016);
  const newFilePathByOldPath = new Map([
    [OLD_FILE, NEW_FILE],
    [OLD_DOTTED_FILE, NEW_DOTTED_FILE],
  ]);
  const facts = { origin: 'https://new.example', formerSite };
  return new ImportedLinkRewriter({ streamIdMap, userIdMap, messageIdMap, newFilePathByOldPath, facts } as never);
}

const OLD_NARROW = '#narrow/stream/301-x/topic/T/near/90016';
const NEW_NARROW = '#narrow/stream/1-x/topic/T/near/1';

function checkTexts(test: Test, site: string | undefined, texts: readonly (readonly [string, string])[]): void {
  for (const [old, expected] of texts) test.equal(rewriter(site).rewriteLinksAndMentions(old), expected, old);
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
