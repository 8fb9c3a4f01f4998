import fc from 'fast-check';
import t from 'tap';
import { BASE_LEVEL_ONLY } from '#domain/levels';
import type { AuthenticatedCaller } from '#frontend/http';
import { parseUrlencodedForm } from '../../../src/frontend/http/form-urlencoded.js';
import { InboundRequest } from '../../../src/frontend/http/inbound-request.js';
import { NextPollMatcher } from '../../../src/frontend/http/parked-polls.js';
import type { RoutedOperation } from '../../../src/frontend/http/route.js';
import { FakeExchange } from './fake-exchange.js';
import { FakeServices } from './support.js';

const { caller } = new FakeServices();

function repeated(query: string, n: number, of: AuthenticatedCaller = caller): NextPollMatcher | undefined {
  const exchange = new FakeExchange('GET', `/poll?${query}`);
  const request = new InboundRequest(
    exchange,
    { route: { targetsByMethod: new Map(), allowedMethods: [] }, segmentValues: [] },
    0,
    {
      readsForwardedFor: false,
      compressesAnswers: false,
      browserPolicy: { areSessionsAllowed: false, https: false, externalPortSuffix: '' },
      apiLevels: BASE_LEVEL_ONLY,
    },
  );
  request.routedOperation = {} as RoutedOperation;
  return NextPollMatcher.createIfRecognizable(request, of, { parameter: 'last', last: n });
}

t.test('the same query with another id is recognised', async (t) => {
  t.equal(repeated('last=5', 5)?.queryWithEventId(6), 'last=6');
  t.equal(repeated('queue=a-b&last=5&x=y', 5)?.queryWithEventId(16), 'queue=a-b&last=16&x=y');
  t.equal(repeated('x=last&last=-1', -1)?.queryWithEventId(0), 'x=last&last=0');
});

t.test('queries without exactly one plain id are not matched', async (t) => {
  for (const query of ['', 'x=5', 'last=55', 'last=5.0', 'last=05', 'last=', 'past=4&blast=5', 'last=5&last=5']) {
    t.equal(repeated(query, 5), undefined, query);
  }
  for (const query of ['l%61st=5&last=5', 'last=%35', 'last=+5', 'last=5&l%61st=7']) {
    t.equal(repeated(query, 5), undefined, query);
  }
});

t.test('any matched query means the same with another id', async (t) => {
  const name = fc.constantFrom('last', 'last2', 'blast', 'l%61st', 'x', '');
  const value = fc.oneof(fc.constantFrom('5', '55', '', 'last=5', '%35', '+5', 'a&last=5'), fc.string());
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 3 });
  const said = fc.tuple(pairs, pairs).map(([before, after]) => [...before, ['last', '5'] as const, ...after]);
  fc.assert(
    fc.property(said, fc.nat(), (fields, n) => {
      const query = fields.map(([key, of]) => `${key}=${of}`).join('&');
      const changed = repeated(query, 5)?.queryWithEventId(n);
      if (changed === undefined) return;
      const [before, after] = [parseUrlencodedForm(query), parseUrlencodedForm(changed)];
      t.strictSame(
        [...after],
        [...before].map(([key, of]) => [key, key === 'last' ? `${n}` : of]),
      );
      t.equal(before.get('last'), '5');
    }),
    { numRuns: 500 },
  );
});
