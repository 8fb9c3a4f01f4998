/** Default streams of bots as clients see them. */
import t from 'tap';
import { formatBotDefaultStreamsForApi } from '#domain/people';
import { toStreamId, toUserId } from '#model';
import type { DirectoryStream } from '#model/records';

t.test('an archived default stream of a bot is shown as none, as older versions left it in the record', async (t) => {
  const [open, archived] = [toStreamId(1), toStreamId(2)];
  const stream = (id: number) => ({ name: `Stream ${id}`, archived: id === archived }) as DirectoryStream;
  const bot = {
    user: toUserId(11),
    keySealed: '',
    sendingStream: archived,
    eventsStream: open,
    allPublicStreams: false,
    service: null,
    config: {},
  };
  t.same(formatBotDefaultStreamsForApi(bot, stream), {
    default_sending_stream: null,
    default_events_register_stream: 'Stream 1',
    default_all_public_streams: false,
  });
});
