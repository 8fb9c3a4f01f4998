import t from 'tap';
import { clientNameOfRequest, isHumanClientName } from '#domain/messages';

t.test('the name part of the User-Agent names the client', async (t) => {
  const expected: [agent: string, name: string][] = [
    ['ZulipPython/0.9', 'ZulipPython'],
    ['curl/8.1', 'curl'],
    ['python-requests/2.28.1', 'python-requests'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'Mozilla'],
    ['ZulipMobile/22.1 (iOS 10.3.1)', 'ZulipMobile'],
    ['My App 2.0', 'My App'],
    ['My App', 'My App'],
    ['Foo (bar)', 'Foo'],
    ['', 'Unspecified'],
    ['/1.0', 'Unspecified'],
    ['x'.repeat(50), 'x'.repeat(30)],
    ['Zulip Desktop App/5.9 (Linux)', 'Zulip Desktop App'],
  ];
  for (const [agent, name] of expected) t.equal(clientNameOfRequest(undefined, agent), name, agent);
});

t.test('the client parameter overrides the User-Agent and is cut at 30 characters, not units', async (t) => {
  t.equal(clientNameOfRequest('website', 'curl/8.1'), 'website');
  t.equal(clientNameOfRequest('', 'curl/8.1'), 'curl');
  t.equal([...clientNameOfRequest('😀'.repeat(40), '')].length, 30);
});

t.test('a stream of new agents does not fill memory, and a long agent is cheap', async (t) => {
  for (let i = 0; i < 10_000; i++) clientNameOfRequest(undefined, `agent${i} x`);
  t.equal(clientNameOfRequest(undefined, `a${' b'.repeat(20_000)}`).length, 30);
});

t.test('some client names belong to interactive clients', async (t) => {
  for (const name of ['website', 'ZulipMobile', 'ZulipFlutter', 'Snipe', 'ZulipElectron', 'My Desktop App', 'iOS']) {
    t.ok(isHumanClientName(name), name);
  }
  for (const name of ['curl', 'ZulipPython', 'Unspecified', '', 'websites']) t.notOk(isHumanClientName(name), name);
});
