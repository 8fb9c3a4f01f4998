/** Which policy a user's settings give to a topic, for every setting, participation and present policy. */
import t from 'tap';
import { automaticTopicPolicyOf, mayTopicPolicyChange, TOPIC_VISIBILITY_POLICY } from '#domain/streams';

const { inherit, muted, unmuted, followed } = TOPIC_VISIBILITY_POLICY;
const PARTICIPATIONS = ['initiation', 'send', 'other'] as const;
/** Participations that count for the values 1 to 4 of a setting. */
const COUNTING = { 1: PARTICIPATIONS, 2: ['initiation', 'send'], 3: ['initiation'], 4: [] } as const;
const VALUES = [1, 2, 3, 4] as const;

t.test('taking part follows a topic that is not followed yet', async (t) => {
  for (const value of VALUES) {
    const settings = { automatically_follow_topics_policy: value };
    for (const participation of PARTICIPATIONS) {
      const counts = (COUNTING[value] as readonly string[]).includes(participation);
      const title = `${participation} with ${value}`;
      for (const current of [inherit, muted, unmuted])
        for (const isStreamMuted of [false, true])
          t.equal(
            automaticTopicPolicyOf(participation, settings, current, isStreamMuted),
            counts ? followed : undefined,
          );
      t.equal(automaticTopicPolicyOf(participation, settings, followed, true), undefined, `${title}: followed already`);
      t.equal(mayTopicPolicyChange(participation, settings), counts, title);
    }
    t.equal(automaticTopicPolicyOf('mention', settings, inherit, true), undefined, 'a mention is another matter');
  }
});

t.test('taking part unmutes topics of muted streams only', async (t) => {
  for (const value of VALUES) {
    const settings = { automatically_unmute_topics_in_muted_streams_policy: value };
    for (const participation of PARTICIPATIONS) {
      const counts = (COUNTING[value] as readonly string[]).includes(participation);
      const title = `${participation} with ${value}`;
      for (const current of [inherit, muted])
        t.equal(automaticTopicPolicyOf(participation, settings, current, true), counts ? unmuted : undefined, title);
      for (const current of [unmuted, followed])
        t.equal(automaticTopicPolicyOf(participation, settings, current, true), undefined, `${title}: visible already`);
      t.equal(automaticTopicPolicyOf(participation, settings, inherit, false), undefined, `${title}: not muted`);
    }
  }
  const both = { automatically_unmute_topics_in_muted_streams_policy: 1, automatically_follow_topics_policy: 2 };
  t.equal(automaticTopicPolicyOf('send', both, inherit, true), followed, 'following wins');
  t.equal(automaticTopicPolicyOf('other', both, inherit, true), unmuted);
});

t.test('a mention follows a topic, unless it is muted', async (t) => {
  const settings = { automatically_follow_topics_where_mentioned: true };
  t.equal(automaticTopicPolicyOf('mention', settings, inherit, false), followed);
  t.equal(automaticTopicPolicyOf('mention', settings, unmuted, true), followed);
  t.equal(automaticTopicPolicyOf('mention', settings, muted, false), undefined);
  t.equal(automaticTopicPolicyOf('mention', settings, followed, false), undefined);
  for (const participation of PARTICIPATIONS)
    t.equal(automaticTopicPolicyOf(participation, settings, inherit, true), undefined, participation);
});

t.test('by default nothing changes', async (t) => {
  for (const participation of [...PARTICIPATIONS, 'mention'] as const)
    t.notOk(mayTopicPolicyChange(participation, {}), participation);
});
