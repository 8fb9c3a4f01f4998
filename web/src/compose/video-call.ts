import { core } from '../client/index.js';
import { t } from '../text/index.js';

/** Number of digits in the name of a room. The name is all that is needed to join, so it must be hard to guess. */
const ROOM_NAME_DIGITS = 15;

const makeRoomName = (): string =>
  [...crypto.getRandomValues(new Uint32Array(ROOM_NAME_DIGITS))].map((number) => number % 10).join('');

/** Base URL of the video call server; undefined if the organization has chosen none. Reads signals. */
function findVideoCallServer(): string | undefined {
  const {
    realm_video_chat_provider: chosen,
    realm_available_video_chat_providers: known,
    jitsi_server_url: url,
  } = core.state.realm.value;
  return chosen !== undefined && chosen === known?.jitsi_meet?.id ? url || undefined : undefined;
}

export const areVideoCallsOffered = (): boolean => findVideoCallServer() !== undefined;

/** A link to a new room, in the form in which other clients write it. */
export const makeVideoCallLink = (): string =>
  `[${t('compose.video-call-link')}](${findVideoCallServer()?.replace(/\/+$/, '')}/${makeRoomName()})`;
