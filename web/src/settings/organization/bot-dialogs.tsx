import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Bot } from '../../contract/index.js';
import { Avatar, TextField } from '../../kit/index.js';
import { Select, Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PeoplePicker } from '../parts/people-picker.js';
import { PictureEntry } from '../parts/picture.js';
import { isRole, listAssignableRoles, makeRoleOptions } from '../parts/roles.js';

export const BOT_TYPE = { generic: 1, incoming: 2, outgoing: 3 } as const;

export const BOT_TYPE_OPTIONS = [
  { value: BOT_TYPE.generic, label: () => t('settings.bot.generic') },
  { value: BOT_TYPE.incoming, label: () => t('settings.bot.incoming') },
  { value: BOT_TYPE.outgoing, label: () => t('settings.bot.outgoing') },
];

interface CreateBotDialogProps {
  readonly creatableTypes: readonly { readonly value: number; readonly label: () => string }[];
  readonly onClose: () => void;
  readonly onBotCreated: (id: number) => void;
}

/** Creates a bot that the reader owns. */
export function CreateBotDialog({ creatableTypes, onClose, onBotCreated }: CreateBotDialogProps) {
  const [name, setName] = useState('');
  const [short, setShort] = useState('');
  const [type, setType] = useState(creatableTypes[0]?.value ?? BOT_TYPE.generic);
  const [url, setUrl] = useState('');
  return (
    <FormDialog
      title={t('settings.create-bot')}
      submitLabel={t('settings.create')}
      onClose={onClose}
      submit={async () => {
        const bot = await core.api.post('/bots', {
          full_name: name,
          short_name: short,
          bot_type: type,
          ...(type === BOT_TYPE.outgoing ? { payload_url: url } : {}),
        });
        onBotCreated(Number(bot.user_id));
      }}
    >
      <Select
        label={t('settings.type')}
        value={type}
        options={creatableTypes.map(({ value, label }) => ({ value, label: label() }))}
        onChange={setType}
      />
      <TextField label={t('settings.name')} value={name} onInput={setName} autofocus required />
      <TextField
        label={t('settings.bot-email')}
        hint={t('settings.bot-email-hint', { host: core.state.realm.value.realm_bot_domain ?? '' })}
        value={short}
        onInput={setShort}
        required
      />
      {type === BOT_TYPE.outgoing && (
        <TextField type="url" label={t('settings.bot-url')} value={url} onInput={setUrl} required />
      )}
    </FormDialog>
  );
}

/** Forms in which messages are posted to an outgoing webhook. */
const PAYLOAD_FORMAT_OPTIONS = [
  { value: 1, label: 'settings.payload-generic' },
  { value: 2, label: 'settings.payload-slack' },
] as const;

/** The API names the default streams of a bot; the empty name means none. */
const NO_STREAM_NAME = '';

function makeDefaultStreamOptions(current: string) {
  const names = core.state.streams.allSortedByName.value
    .filter(({ invite_only, membership }) => !invite_only || membership === 'subscribed')
    .map(({ name }) => name);
  const offered = current === NO_STREAM_NAME || names.includes(current) ? names : [...names, current];
  return [
    { value: NO_STREAM_NAME, label: t('settings.none') },
    ...offered.map((name) => ({ value: name, label: `#${name}` })),
  ];
}

const ignoreUploadProgress = () => {};

interface EditBotDialogProps {
  readonly bot: Bot;
  readonly onClose: () => void;
}

/** Everything about a bot that its managers may change. The picture is stored at once, the rest by the button. */
export function EditBotDialog({ bot, onClose }: EditBotDialogProps) {
  const { me, people, realm } = core.state;
  const { user_id, full_name, avatar_url, bot_type, owner_id } = bot;
  const webhook = bot.services.find((service) => 'base_url' in service);
  const role = people.byId.value.get(user_id)?.role ?? 0;
  const form = useFormOverServerValues({
    full_name,
    role,
    bot_owner_id: owner_id ?? undefined,
    service_payload_url: webhook?.base_url ?? '',
    service_interface: webhook?.interface ?? 1,
    default_sending_stream: bot.default_sending_stream ?? NO_STREAM_NAME,
    default_events_register_stream: bot.default_events_register_stream ?? NO_STREAM_NAME,
    default_all_public_streams: bot.default_all_public_streams,
  });
  const { values, changedValues } = form;
  const submit = () => {
    const { service_payload_url, service_interface } = values;
    const { service_payload_url: url, service_interface: format, role: chosen, ...others } = changedValues;
    return core.api.patch('/bots/{bot_id}', {
      bot_id: user_id,
      ...others,
      ...(chosen !== undefined && isRole(chosen) ? { role: chosen } : {}),
      // The server takes the form of the posts together with the address only.
      ...(url === undefined && format === undefined ? {} : { service_payload_url, service_interface }),
    });
  };
  return (
    <FormDialog
      title={t('settings.edit-name', { name: full_name })}
      submitLabel={t('common.save')}
      onClose={onClose}
      submit={submit}
    >
      <PictureEntry
        label={t('settings.picture')}
        picture={<Avatar name={full_name} src={avatar_url} id={user_id} size={64} />}
        maxMib={realm.value.max_avatar_file_size_mib ?? 5}
        upload={(file) => core.api.uploadFile(`/bots/${user_id}`, file, ignoreUploadProgress, { method: 'PATCH' })}
      />
      <TextField
        label={t('settings.name')}
        value={values.full_name}
        onInput={(name) => form.set('full_name', name)}
        autofocus
        required
      />
      <PeoplePicker
        label={t('settings.bot-owner')}
        chosenIds={values.bot_owner_id === undefined ? [] : [values.bot_owner_id]}
        // Without a choice the owner of now stays.
        onChange={(ids) => form.set('bot_owner_id', ids.at(-1) ?? owner_id ?? undefined)}
        offersBots={false}
      />
      {!me.isAdmin && changedValues.bot_owner_id !== undefined && (
        <p class="field-hint">{t('settings.bot-owner-hint')}</p>
      )}
      {me.isAdmin && (
        <Select
          label={t('settings.role')}
          value={values.role}
          options={makeRoleOptions(listAssignableRoles())}
          onChange={(value) => form.set('role', value)}
        />
      )}
      {bot_type === BOT_TYPE.outgoing && (
        <>
          <TextField
            type="url"
            label={t('settings.bot-url')}
            value={values.service_payload_url}
            onInput={(url) => form.set('service_payload_url', url)}
            required
          />
          <Select
            label={t('settings.payload-format')}
            value={values.service_interface}
            options={PAYLOAD_FORMAT_OPTIONS.map(({ value, label }) => ({ value: Number(value), label: t(label) }))}
            onChange={(value) => form.set('service_interface', value)}
          />
        </>
      )}
      <Select
        label={t('settings.bot-sending-stream')}
        hint={t('settings.bot-sending-stream-hint')}
        value={values.default_sending_stream}
        options={makeDefaultStreamOptions(values.default_sending_stream)}
        onChange={(name) => form.set('default_sending_stream', name)}
      />
      <Select
        label={t('settings.bot-events-stream')}
        hint={t('settings.bot-events-stream-hint')}
        value={values.default_events_register_stream}
        options={makeDefaultStreamOptions(values.default_events_register_stream)}
        onChange={(name) => form.set('default_events_register_stream', name)}
      />
      <Toggle
        label={t('settings.bot-all-public-streams')}
        checked={values.default_all_public_streams}
        onChange={(on) => form.set('default_all_public_streams', on)}
      />
    </FormDialog>
  );
}
