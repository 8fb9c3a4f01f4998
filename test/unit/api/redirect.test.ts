import fc from 'fast-check';
import t from 'tap';
import { makeRedirectWithQuery } from '../../../src/frontend/api/raw-answers.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';

const location = (query: string): string => makeRedirectWithQuery('/x.png?version=1', query).headers.Location!;

t.test('a redirect keeps the query, but no keys', async (t) => {
  t.equal(location(''), '/x.png?version=1');
  t.equal(location('a=b&c'), '/x.png?version=1&a=b&c');
  t.equal(location('a=%C3%A4&&'), '/x.png?version=1&a=%C3%A4');
  for (const key of ['api_key=x', 'API_KEY=x', 'api%5Fkey=x', '%61pi_key=x', 'api_key']) {
    t.equal(location(`a=1&${key}&b=2`), '/x.png?version=1&a=1&b=2', key);
  }
  t.equal(location('%zz=1&ä=\u{1f600}'), '/x.png?version=1&%zz=1&%C3%A4=%F0%9F%98%80');
});

t.test('no query can end the header', async () => {
  fc.assert(fc.property(fc.string({ unit: ANY_CODE_POINT }), (query) => /^[\x21-\x7e]+$/.test(location(query))));
});
