/** Operation POST /zcommand (realm.md § Other): settings changed by slash commands, typed like a message. */

import { emailDomainOfOrigin, readUserSetting } from '#domain/people';
import { realmActorKey, type UserSettingName, type UserSettingValue } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declareRequiredTextParameter } from '../../parameters.js';

interface SettingSlashCommand {
  readonly setting: UserSettingName;
  readonly value: UserSettingValue;
  readonly called: string;
  readonly back: string;
}

const SETTING_SLASH_COMMANDS_BY_NAME = new Map<string, SettingSlashCommand>([
  ['night', { setting: 'color_scheme', value: 2, called: 'dark theme', back: 'day' }],
  ['day', { setting: 'color_scheme', value: 3, called: 'light theme', back: 'night' }],
  ['fluid-width', { setting: 'fluid_layout_width', value: true, called: 'fluid width', back: 'fixed-width' }],
  ['fixed-width', { setting: 'fluid_layout_width', value: false, called: 'fixed width', back: 'fluid-width' }],
]);

export const runSlashCommandOperation = defineOperation({
  id: 'zcommand',
  method: 'POST',
  path: '/zcommand',
  guard: 'user',
  summary: 'Carry out a slash command: /ping, /night, /day, /fluid-width or /fixed-width.',
  parameters: { command: declareRequiredTextParameter('form', 'With its slash.') },
  async run(call) {
    const { params, directory, caller, realm, site } = call;
    if (!params.command.startsWith('/')) throw apiError('ZCOMMAND_SLASH');
    const command = params.command.slice(1);
    if (command === 'ping') return { fields: {} };
    const wanted = SETTING_SLASH_COMMANDS_BY_NAME.get(command);
    if (!wanted) throw apiError('NO_SUCH_ZCOMMAND', { command });
    const { setting, value, called, back } = wanted;
    const user = directory.user(caller);
    if (user && readUserSetting(directory, user, setting) === value)
      return { fields: { msg: `The ${called} is on already.` } };
    const args = { values: { [setting]: value }, domain: emailDomainOfOrigin(site) };
    await call.send(forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.changeSettings, args }));
    return { fields: { msg: `The ${called} is on now; \`/${back}\` turns it off.` } };
  },
});
