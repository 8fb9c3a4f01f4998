/** Patterns and templates of linkifiers: realm.md § Linkifiers. */
import fc from 'fast-check';
import t from 'tap';
import { findLinkifierErrors } from '#domain/markdown';
import { parseUrlTemplateVariables } from '../../../src/domain/markdown/linkifier-check.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';

t.test('templates of RFC 6570 and their variables are read', async (t) => {
  const variables = (template: string) => {
    const names = parseUrlTemplateVariables(template);
    return names && [...names];
  };
  t.same(variables('https://x/'), []);
  t.same(variables('https://x/{id}'), ['id']);
  t.same(variables('{+path}{#f}{.a}{/p,q}{;m}{?x,y}{&z}'), ['path', 'f', 'a', 'p', 'q', 'm', 'x', 'y', 'z']);
  t.same(variables('{list*}{name:30}{a.b}{%41}'), ['list', 'name', 'a.b', '%41']);
  for (const wrong of [
    '{',
    '}',
    '{}',
    '{id',
    'id}',
    '{{id}}',
    '{i d}',
    '{id:0}',
    '{id:10000}',
    '{=id}',
    '{a,}',
    '{.}',
  ]) {
    t.equal(variables(wrong), undefined, wrong);
  }
});

t.test('the alphabetically first of several bad names is reported', async (t) => {
  t.same(findLinkifierErrors('(?P<z>.)(?P<a>.)', 'x'), {
    __all__: ["Group 'a' in linkifier pattern is not present in URL template."],
  });
  t.same(findLinkifierErrors('x', '{z}{a}'), {
    __all__: ["Group 'a' in URL template is not present in linkifier pattern."],
  });
  t.same(findLinkifierErrors('(?P<a>.)(.)', '{a}'), {}, 'groups without names do not count');
});

t.test('any input gets an answer', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT }), fc.string({ unit: ANY_CODE_POINT }), (pattern, template) => {
      t.type(findLinkifierErrors(pattern, template), 'object');
    }),
  );
});
