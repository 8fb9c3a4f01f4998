import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { extractPlainText, type Stream } from '../../core/index.js';
import {
  Button,
  EmptyNotice,
  getStreamIconName,
  Icon,
  isPhoneLayout,
  TextField,
  VirtualList,
} from '../../kit/index.js';
import { Tabs } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { BackToListLink } from '../parts/pages.js';
import { CreateStreamForm } from './create.js';
import { GeneralStreamTab } from './general.js';
import { PersonalStreamTab } from './personal.js';
import { mayCreateStreams } from './rights.js';
import { SubscriptionToggleButton } from './subscribe.js';
import { StreamSubscribersTab } from './subscribers.js';

const STREAM_ROW_HEIGHT_PX = 60;

type StreamListFilter = 'all' | 'subscribed';

/** `#streams/all`, `#streams/subscribed`, `#streams/new`, `#streams/12/…`: browse, create, edit. */
export function StreamsView({ parts }: { readonly parts: readonly string[] }) {
  const phone = isPhoneLayout();
  const [part = 'all', tab] = parts;
  const stream = core.state.streams.byId.value.get(Number(part));
  const isNew = part === 'new' && mayCreateStreams();
  const showsDetail = stream !== undefined || isNew || /^\d+$/.test(part);
  return (
    <div class="settings streams-settings">
      {(!phone || !showsDetail) && (
        <BrowsableStreamList filter={part === 'subscribed' ? 'subscribed' : 'all'} current={stream} />
      )}
      {(!phone || showsDetail) && (
        <div class="settings-page" key={part}>
          <div class="settings-content">
            {phone && <BackToListLink hash="#streams/all" label={t('sidebar.streams')} />}
            {isNew ? (
              <CreateStreamForm />
            ) : stream ? (
              <StreamSettingsPage stream={stream} tab={tab} />
            ) : (
              <EmptyNotice icon="hash">
                {t(/^\d+$/.test(part) ? 'settings.no-stream' : 'common.choose-stream')}
              </EmptyNotice>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function BrowsableStreamList({
  filter,
  current,
}: {
  readonly filter: StreamListFilter;
  readonly current: Stream | undefined;
}) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const { streams } = core.state;
  const list = (filter === 'all' ? streams.allSortedByName : streams.subscribedStreams).value.filter(
    ({ name, description, membership, invite_only }) =>
      (membership !== 'former' || !invite_only || core.state.me.isAdmin) &&
      (name.toLowerCase().includes(wanted) || description.toLowerCase().includes(wanted)),
  );
  return (
    <nav class="settings-nav stream-list" aria-label={t('sidebar.streams')}>
      <div class="stream-list-head">
        <TextField
          type="search"
          hidesLabel
          icon="filter"
          label={t('settings.filter-streams')}
          placeholder={t('settings.filter-streams')}
          value={text}
          onInput={setText}
        />
        {mayCreateStreams() && (
          <Button
            kind="primary"
            icon="plus"
            wide
            onClick={() => core.router.navigate({ view: 'streams', parts: ['new'] })}
          >
            {t('settings.create-stream')}
          </Button>
        )}
        <p class="stream-filter">
          <a href="#streams/all" aria-current={filter === 'all' ? 'page' : undefined}>
            {t('settings.all-streams')}
          </a>
          <a href="#streams/subscribed" aria-current={filter === 'subscribed' ? 'page' : undefined}>
            {t('settings.subscribed')}
          </a>
        </p>
      </div>
      {list.length === 0 ? (
        <p class="row-note">{t('common.no-results')}</p>
      ) : (
        <VirtualList
          items={list}
          getItemKey={getStreamId}
          getItemHeightPx={() => STREAM_ROW_HEIGHT_PX}
          label={t('sidebar.streams')}
        >
          {(stream, row) => (
            <div class="stream-line">
              <a
                href={core.router.formatHash({ view: 'streams', parts: [String(stream.stream_id)] })}
                aria-current={stream.stream_id === current?.stream_id ? 'page' : undefined}
                style={{ '--stream': stream.color || 'currentColor' }}
                {...row}
              >
                <Icon name={getStreamIconName(streams.getPrivacy(stream.stream_id))} />
                <span class="stream-line-text">
                  <span data-cut="">{stream.name}</span>
                  <span class="row-soft" data-cut="">
                    {extractPlainText(stream.rendered_description) || t('settings.no-description')}
                  </span>
                </span>
              </a>
              <SubscriptionToggleButton stream={stream} small />
            </div>
          )}
        </VirtualList>
      )}
    </nav>
  );
}

const getStreamId = ({ stream_id }: Stream): number => stream_id;

const STREAM_TABS = ['general', 'personal', 'subscribers'] as const;
type StreamTab = (typeof STREAM_TABS)[number];

function StreamSettingsPage({ stream, tab }: { readonly stream: Stream; readonly tab: string | undefined }) {
  const tabs = STREAM_TABS.filter((id) => id !== 'personal' || stream.membership === 'subscribed');
  const current: StreamTab = tabs.find((id) => id === tab) ?? 'general';
  return (
    <>
      <div class="settings-group-head">
        <h2>
          <span class="bar-stream" style={{ '--stream': stream.color || 'currentColor' }}>
            <Icon name={getStreamIconName(core.state.streams.getPrivacy(stream.stream_id))} />
          </span>
          {stream.name}
        </h2>
        <SubscriptionToggleButton stream={stream} />
      </div>
      <Tabs
        label={stream.name}
        tabs={tabs.map((id) => ({ id, label: t(`settings.stream-${id}`) }))}
        current={current}
        onChange={(id) => core.router.navigate({ view: 'streams', parts: [String(stream.stream_id), id] }, true)}
      >
        {current === 'general' && <GeneralStreamTab stream={stream} />}
        {current === 'personal' && <PersonalStreamTab stream={stream} />}
        {current === 'subscribers' && <StreamSubscribersTab stream={stream} />}
      </Tabs>
    </>
  );
}
