/** Where a declaration differs from wire.json on purpose: `operation parameter fact` → why. */
const BARE =
  'absent is told apart from false, because client_capabilities may name it as well; without either it is false';
const HANDLER =
  'the handler reads the text, because its refusals are not those of a JSON parameter; absent means the same';

export const DIFFERENCES: Readonly<Record<string, string>> = {
  'GET /events client_gravatar default': 'absent is false here and true on POST /register, so the operation decides',
  'GET /events bulk_message_deletion default': BARE,
  'GET /events stream_typing_notifications default': BARE,
  'GET /events user_settings_object default': BARE,
  'GET /events linkifier_url_template default': BARE,
  'GET /messages narrow encoding': HANDLER,
  'GET /messages narrow default': HANDLER,
};
