import t from 'tap';
import {
  chooseHottestTopics,
  composeWeeklyDigestMail,
  DIGEST_WAVE_MS,
  type DigestMessage,
  digestTimeOfDay,
  digestWeekdayOf,
  findDigestWave,
  latestDigestDayStart,
  MAX_DIGEST_TOPICS,
  nextDigestWaveTime,
  type WeeklyDigestMailInput,
} from '#domain/notifications';
import { toRealmId, toUserId } from '#model';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MONDAY = Date.UTC(2026, 0, 5);

let lastId = 0;
const said = (topic: string, senders: readonly number[], stream = 1): DigestMessage[] =>
  senders.map((sender) => ({ id: ++lastId, sender, stream, topic }));
const names = (messages: readonly DigestMessage[]): string[] =>
  chooseHottestTopics(messages).map(({ stream, topic }) => `${stream}/${topic}`);

t.test('two topics are chosen by their senders, then two by their messages', async (t) => {
  const messages = [
    ...said('monologue', [1, 1, 1, 1, 1, 1, 1]),
    ...said('three', [1, 2, 3]),
    ...said('pair', [1, 2]),
    ...said('long pair', [1, 2, 2, 2]),
    ...said('four', [1, 2, 3, 4]),
    ...said('one', [1]),
  ];
  t.same(names(messages), ['1/four', '1/three', '1/monologue', '1/long pair']);
  t.equal(MAX_DIGEST_TOPICS, 4);
});

t.test('ties go to the other number, then to the newest message', async (t) => {
  t.same(names([...said('short', [1, 2]), ...said('long', [1, 2, 1])]), ['1/long', '1/short']);
  t.same(names([...said('older', [1]), ...said('newer', [1])]), ['1/newer', '1/older']);
  const few = [...said('a', [1, 2, 3]), ...said('b', [1, 2, 3]), ...said('c', [1, 1]), ...said('d', [1, 2])];
  t.same(names(few), ['1/b', '1/a', '1/d', '1/c']);
});

t.test('a topic is one in whatever case, and its messages are in order', async (t) => {
  const [first, second] = [...said('Lunch', [1]), ...said('lunch', [2])] as [DigestMessage, DigestMessage];
  const elsewhere = said('lunch', [1], 2);
  const [topic, other, ...more] = chooseHottestTopics([...elsewhere, second, first]);
  t.same(topic, { stream: 1, topic: 'lunch', senderCount: 2, messages: [first, second] });
  t.same(other, { stream: 2, topic: 'lunch', senderCount: 1, messages: elsewhere });
  t.same(more, []);
  t.same(chooseHottestTopics([]), []);
});

t.test('the digest day is the newest day with the weekday of the setting', async (t) => {
  for (let weekday = 0; weekday < 7; weekday++) {
    t.equal(digestWeekdayOf(MONDAY + weekday * DAY_MS + HOUR_MS), weekday);
    t.equal(latestDigestDayStart(MONDAY + 6 * DAY_MS + HOUR_MS, weekday), MONDAY + weekday * DAY_MS);
  }
  t.equal(latestDigestDayStart(MONDAY - 1, 0), MONDAY - 7 * DAY_MS);
});

t.test('digests are spread over the day', async (t) => {
  const hours = new Map<number, number>();
  for (let user = 1; user <= 2_400; user++) {
    const time = digestTimeOfDay(toRealmId(3), toUserId(user));
    t.ok(time >= 0 && time < DAY_MS && Number.isInteger(time));
    const hour = Math.floor(time / HOUR_MS);
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  t.equal(hours.size, 24);
  for (const [hour, count] of hours) t.ok(count > 50 && count < 150, `hour ${hour}: ${count}`);
  t.not(digestTimeOfDay(toRealmId(3), toUserId(9)), digestTimeOfDay(toRealmId(4), toUserId(9)));
});

t.test('waves follow each other through the day, and then wait for the next digest day', async (t) => {
  let plannedUntil = MONDAY - 3 * DAY_MS;
  let now = nextDigestWaveTime(plannedUntil, 0);
  t.equal(now, MONDAY);
  let waves = 0;
  let end = MONDAY;
  while (now < MONDAY + DAY_MS) {
    const wave = findDigestWave(plannedUntil, 0, now)!;
    t.equal(wave.dayStart, MONDAY);
    t.equal(wave.from, end, 'no gap');
    ({ until: end } = wave);
    plannedUntil = end;
    now = nextDigestWaveTime(plannedUntil, 0);
    waves++;
  }
  t.equal(end, MONDAY + DAY_MS);
  t.equal(waves, DAY_MS / DIGEST_WAVE_MS);
  t.equal(now, MONDAY + 7 * DAY_MS);
  t.equal(findDigestWave(plannedUntil, 0, MONDAY + 2 * DAY_MS), undefined);
});

t.test('a wave that comes late has all that was not planned before', async (t) => {
  const now = MONDAY + 20 * HOUR_MS;
  t.same(findDigestWave(MONDAY + HOUR_MS, 0, now), {
    dayStart: MONDAY,
    from: MONDAY + HOUR_MS,
    until: now + DIGEST_WAVE_MS,
  });
  t.same(findDigestWave(MONDAY + HOUR_MS, 0, MONDAY + 2 * DAY_MS)?.until, MONDAY + DAY_MS);
});

const MAIL: WeeklyDigestMailInput = {
  topics: [
    {
      stream: { id: 7, name: 'dock & pier' },
      topic: 'tides <high>',
      senderCount: 2,
      messageCount: 4,
      teaser: [{ id: 11, sender: 'Ann <b>', sent: 1_700_000_000, html: '<p>the <strong>tide</strong></p>' }],
    },
  ],
  newStreams: [{ id: 8, name: 'a<b', description: 'about &' }],
  moreNewStreams: 2,
  withheld: null,
  organization: 'Har<bour',
  origin: 'https://chat.example.com',
  receiver: { id: 5, fullName: 'Eve <i>', timezone: '', twentyFourHour: true, language: 'en' },
  unsubscribe: 'https://chat.example.com/unsubscribe/x',
};

t.test('the mail has topics with teasers, counts, new streams and links, and escapes names', async (t) => {
  const { subject, text, html } = composeWeeklyDigestMail(MAIL);
  t.equal(subject, 'Your week at Har<bour');
  t.match(text, '#dock & pier > tides <high> (4 messages from 2 people)');
  t.match(text, /Ann <b> \(.*\):\nthe tide/);
  t.match(text, 'and 3 more messages');
  t.match(text, '#a<b: about &\nhttps://chat.example.com/#narrow/stream/8-a.3Cb');
  t.match(text, 'and 2 more new streams');
  t.match(text, 'https://chat.example.com/unsubscribe/x');
  t.match(html, 'href="https://chat.example.com/#narrow/stream/7-dock-.26-pier/topic/tides.20.3Chigh.3E/near/11"');
  t.match(html, '<strong>tide</strong>');
  for (const raw of ['Ann <b>', 'Eve <i>', 'a<b', '<high>', 'Har<bour']) t.notMatch(html, raw);
});

t.test('a mail without contents has counts alone', async (t) => {
  for (const withheld of ['user', 'organization'] as const) {
    const { subject, text, html } = composeWeeklyDigestMail({ ...MAIL, withheld });
    t.equal(subject, 'Your week at Har<bour');
    t.match(text, '4 messages in 1 busy topic, 3 new streams.');
    for (const part of [text, html]) t.notMatch(part, /dock|tide|Ann|a<b|a&lt;b|about/);
  }
  t.notMatch(composeWeeklyDigestMail({ ...MAIL, topics: [], withheld: 'user' }).text, 'messages in');
});
