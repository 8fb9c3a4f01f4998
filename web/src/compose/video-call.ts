import { core } from '../client/index.js';
import { t } from '../text/index.js';

/** Digits of the name of a room; those who know it may join, so it can't be guessed. */
const ROOM_NAME_DIGITS = 15;

const makeRoomName = (): string =>
  [...crypto.getRandomValues(new Uint32Array(ROOM_NAME_DIGITS))].map((number) => number % 10).join('');

/** Address of the server of video calls; undefined where the organization has chosen none. Reads signals. */
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
