import t from 'tap';
import { parseRateLimitRules } from '#frontend/limits';

t.test('rules are seconds and calls', async (t) => {
  t.same(parseRateLimitRules('60:200'), [{ windowMs: 60_000, calls: 200 }]);
  t.same(parseRateLimitRules('1:2, 86400:5'), [
    { windowMs: 1_000, calls: 2 },
    { windowMs: 86_400_000, calls: 5 },
  ]);
  t.same(parseRateLimitRules('off'), []);
});

t.test('anything else is refused', async (t) => {
  const wrong = ['', '60', '60:', ':5', '60:5:1', '0:5', '60:0', '-1:5', '1.5:5', '60:5,', 'x', '60:5 off', '1e3:5'];
  for (const text of [...wrong, '9999999999:1', '1:9999999999', Array(9).fill('1:1').join(',')]) {
    t.throws(() => parseRateLimitRules(text), text);
  }
});
