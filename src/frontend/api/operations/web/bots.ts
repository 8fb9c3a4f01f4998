/** Operation by which the web client shows the API key of a bot: its state and events have no keys. */
import { checkMayManageBot } from '#domain/people';
import { toUserId } from '#model';
import { apiError } from '#model/errors';
import { type ApiOperation, defineOperation } from '../../operation.js';
import { declarePathIdParameter } from '../../parameters.js';
import { unsealOrRenewApiKey } from '../../readable-key.js';

export const getBotApiKeyOperation = defineOperation({
  id: 'web-get-bot-api-key',
  method: 'GET',
  path: '/web/bots/{bot_id}/api_key',
  root: true,
  guard: 'human',
  webClient: true,
  compressed: false,
  summary: 'API key of a bot, to show it to the owner of the bot or an administrator.',
  parameters: { bot_id: declarePathIdParameter('The bot.') },
  async run(call) {
    const { params, caller } = call;
    const id = toUserId(params.bot_id);
    if (!call.directory.bot(id)) await call.refresh();
    const { directory } = call;
    const [user, bot, acting] = [directory.user(id), directory.bot(id), directory.user(caller)];
    if (!user || !bot || !acting) throw apiError('NO_SUCH_BOT');
    checkMayManageBot(user, acting);
    const sealed = { user: id, sealed: bot.keySealed, instead: bot.keySealed };
    return { fields: { api_key: (await unsealOrRenewApiKey(call, sealed)) ?? '' } };
  },
});

export const WEB_BOT_OPERATIONS = [getBotApiKeyOperation] as unknown as readonly ApiOperation[];
