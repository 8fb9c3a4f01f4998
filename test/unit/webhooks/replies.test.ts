import fc from 'fast-check';
import t from 'tap';
import { parseWebhookReply } from '#domain/webhooks';

t.test('the reply is read from the answer', async (t) => {
  t.same(parseWebhookReply('{"content":"a"}', 1), { say: 'a', widget: null });
  t.same(parseWebhookReply('{"response_string":"b"}', 1), { say: 'b', widget: null });
  t.same(parseWebhookReply('{"content":"a","response_string":"b"}', 1), { say: 'a', widget: null });
  t.same(parseWebhookReply('{"content":"a","response_not_required":true}', 1), 'nothing');
  t.same(parseWebhookReply('{"content":"a","response_not_required":"true"}', 1), { say: 'a', widget: null });
  t.same(parseWebhookReply('{"content":"a","widget_content":{"b":1}}', 1), { say: 'a', widget: '{"b":1}' });
  t.same(parseWebhookReply('{"text":"c","content":"a"}', 2), { say: 'c', widget: null });
  for (const nothing of ['', ' \n', '""', '{}', '{"content":null}', '{"content":""}'])
    t.equal(parseWebhookReply(nothing, 1), 'nothing', nothing);
  for (const wrong of ['x', '[]', '1', 'null', '{"content":[]}', '{"content":{"a":1}}', '['.repeat(100_000)]) {
    t.ok('wrong' in (parseWebhookReply(wrong, 1) as object), wrong.slice(0, 20));
  }
});

t.test('any answer is a reply, none, or an error', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.constantFrom(1, 2), (body, form) => {
      const reply = parseWebhookReply(body, form);
      return reply === 'nothing' || 'wrong' in reply || typeof reply.say === 'string';
    }),
  );
});
