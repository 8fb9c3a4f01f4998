/** Intended differences between declarations and wire.json: `operation parameter fact` → reason. */
const BARE =
  'absent is told apart from false, because client_capabilities may name it as well; without either it is false';
const HANDLER =
  'the handler reads the text, because its refusals are not those of a JSON parameter; absent means the same';
const OWN_MESSAGE = 'the handler checks it, because its refusal is not that of an enumeration';
const UNSEEN = 'of a private stream that the caller is not in, the refusal must not tell that it exists';

const BOT_GUARD = 'guests and bots are refused first, as its errors say; who the owner is, the handler checks';

export const DIFFERENCES: Readonly<Record<string, string>> = {
  'POST /register all_public_streams default': 'absent, it is what a bot is set to',
  'DELETE /bots/{bot_id} guard': 'who its owner is, the handler checks',
  'PATCH /bots/{bot_id} guard': BOT_GUARD,
  'POST /bots/{bot_id}/api_key/regenerate guard': BOT_GUARD,
  'GET /events client_gravatar default': 'absent is false here and true on POST /register, so the operation decides',
  'GET /events bulk_message_deletion default': BARE,
  'GET /events stream_typing_notifications default': BARE,
  'GET /events user_settings_object default': BARE,
  'GET /events linkifier_url_template default': BARE,
  'GET /messages narrow encoding': HANDLER,
  'GET /messages narrow default': HANDLER,
  'GET /messages/matches_narrow narrow encoding': HANDLER,
  'PATCH /streams/{stream_id} guard': UNSEEN,
  'PATCH /streams/{stream_id} stream_post_policy default': 'what is not given is not changed',
  'DELETE /streams/{stream_id} guard': UNSEEN,
  'DELETE /users/me/subscriptions principals default': 'an empty list is the caller',
  'POST /messages/flags op enum': OWN_MESSAGE,
  'POST /messages/flags/narrow op enum': OWN_MESSAGE,
  'POST /messages/flags/narrow narrow encoding': HANDLER,
  'POST /users/me/apns_device_token appid default': 'absent means that the app is not known',
  'POST /user_topics visibility_policy enum': 'streams.md names 3 (followed), too',
};
