import { execFileSync } from 'node:child_process';
import t from 'tap';
import { formatStartGreeting, formatZuliprc } from '#app/server';

const SITE = 'http://127.0.0.1:9991';

t.test('the first start prints the place of the key, and a curl command that reads the key there', async (test) => {
  const folder = test.testdir({ "it's here": { 'owner.zuliprc': formatZuliprc('owner@localhost', 'a:key', SITE) } });
  const text = formatStartGreeting({ zuliprc: `${folder}/it's here/owner.zuliprc` }, SITE);
  test.notMatch(text, 'a:key', 'a journal would keep it');
  const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${text.slice(text.indexOf('  curl'))}`], {
    encoding: 'utf8',
  });
  test.same(shown.split('\n').slice(0, 3), ['-u', 'owner@localhost:a:key', `${SITE}/api/v1/messages`]);
});

t.test('only a first start with a page prints a link for the browser of the owner', (test) => {
  const link = `${SITE}/#sign-in/abc`;
  test.match(formatStartGreeting({ zuliprc: '/x', link }, SITE), `\n  ${link}\n`);
  for (const text of [formatStartGreeting({ zuliprc: '/x' }, SITE), formatStartGreeting(undefined, SITE)]) {
    test.notMatch(text, 'sign-in');
  }
  test.end();
});
