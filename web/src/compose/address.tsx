import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import {
  findKnownTopicsAndLoadAll,
  findMatchingPeople,
  findMatchingStreams,
  makePersonSuggestion,
  makeStreamSuggestion,
  makeTopicSuggestion,
  SuggestionCombobox,
} from '../completion/index.js';
import { Avatar, Icon, IconButton } from '../kit/index.js';
import { t } from '../text/index.js';
import type { Composer, ComposeTarget } from './composer.js';

type ComposeTargetOfKind<K extends ComposeTarget['kind']> = ComposeTarget & { readonly kind: K };

/** Stream and topic. */
function StreamAndTopicFields({
  composer,
  target,
}: {
  readonly composer: Composer;
  readonly target: ComposeTargetOfKind<'stream'>;
}) {
  const { streams, realm } = core.state;
  const name = target.stream === undefined ? '' : streams.getStreamName(target.stream);
  /** Text of the field while it names no stream; undefined: the field shows the name of the chosen stream. */
  const typed = useSignal<string | undefined>(undefined);
  const stream = useRef<HTMLInputElement>(null);
  const topic = useRef<HTMLInputElement>(null);
  const wantsTopic = realm.value.realm_mandatory_topics === true;
  useLayoutEffect(() => {
    const field = target.stream === undefined ? stream.current : target.topic === '' ? topic.current : undefined;
    field?.focus();
  }, []);
  // Keys may arrive faster than the component renders, so the current address is read here.
  const set = (part: Partial<ComposeTargetOfKind<'stream'>>) => {
    const now = composer.target.peek();
    if (now.kind === 'stream') composer.changeTargetByUser({ ...now, ...part });
  };
  const choose = (id: number | undefined) => {
    typed.value = undefined;
    set({ stream: id });
  };
  const color = target.stream === undefined ? undefined : streams.byId.value.get(target.stream)?.color;
  return (
    <>
      <SuggestionCombobox
        label={t('common.stream')}
        placeholder={t('common.stream')}
        value={typed.value ?? name}
        findSuggestions={(query) =>
          findMatchingStreams(typed.value === undefined ? '' : query).map((one) => makeStreamSuggestion(one))
        }
        enterPicksFirst
        onInput={(value) => {
          typed.value = value;
        }}
        onPick={({ streamOrPersonId }) => {
          choose(streamOrPersonId);
          topic.current?.focus();
        }}
        onFinish={() => topic.current?.focus()}
        onBlur={() => {
          const left = typed.peek();
          if (left === undefined) return;
          typed.value = undefined;
          const id = streams.findIdByName(left.trim());
          if (id !== undefined) choose(id);
        }}
        leadingContent={
          <span class="compose-stream" style={{ '--stream': color || 'currentColor' }}>
            <Icon name={streams.getPrivacy(target.stream ?? 0) === 'private' ? 'lock' : 'hash'} size={16} />
          </span>
        }
        inputRef={stream}
      />
      <span class="compose-separator" aria-hidden="true">
        ›
      </span>
      <SuggestionCombobox
        label={t('common.topic')}
        placeholder={t(wantsTopic ? 'common.topic' : 'compose.topic-optional')}
        value={target.topic}
        maxLength={realm.value.max_topic_length}
        findSuggestions={(query) =>
          target.stream === undefined
            ? []
            : findKnownTopicsAndLoadAll(target.stream, query).map((one) => makeTopicSuggestion(one))
        }
        onInput={(value) => set({ topic: value })}
        onPick={({ text }) => {
          set({ topic: text });
          composer.focusNowOrWhenMounted();
        }}
        onFinish={() => composer.focusNowOrWhenMounted()}
        inputRef={topic}
      />
    </>
  );
}

/** Recipients of direct messages as chips, and a field that adds one. */
function DirectRecipientsField({
  composer,
  target,
}: {
  readonly composer: Composer;
  readonly target: ComposeTargetOfKind<'direct'>;
}) {
  const { people } = core.state;
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const { users } = target;
  useLayoutEffect(() => {
    if (users.length === 0) field.current?.focus();
  }, []);
  const set = (ids: readonly number[]) => composer.changeTargetByUser({ kind: 'direct', users: ids });
  const remove = (id: number) => {
    set(users.filter((user) => user !== id));
    field.current?.focus();
  };
  return (
    <div class="compose-people">
      {users.map((id) => (
        <span key={id} class="compose-person">
          <Avatar name={people.getFullName(id)} src={people.byId.value.get(id)?.avatar_url} id={id} size={20} />
          <span class="compose-person-name">{people.getFullName(id)}</span>
          <IconButton
            icon="close"
            size={14}
            label={t('common.remove-name', { name: people.getFullName(id) })}
            onClick={() => remove(id)}
          />
        </span>
      ))}
      <SuggestionCombobox
        label={t('compose.recipients')}
        placeholder={users.length === 0 ? t('compose.recipients') : t('compose.add-recipient')}
        value={typed}
        findSuggestions={(query) =>
          findMatchingPeople(query, undefined, 8 + users.length)
            .filter(({ user_id }) => !users.includes(user_id))
            .slice(0, 8)
            .map((one) => makePersonSuggestion(one))
        }
        enterPicksFirst
        onInput={setTyped}
        onPick={({ streamOrPersonId }) => {
          setTyped('');
          if (streamOrPersonId !== undefined) set([...users, streamOrPersonId]);
        }}
        onFinish={() => composer.focusNowOrWhenMounted()}
        onEraseWhenEmpty={() => users.length > 0 && set(users.slice(0, -1))}
        inputRef={field}
      />
    </div>
  );
}

/** The row above the text, in which the address is shown and changed. */
export function ComposeAddressRow({ composer }: { readonly composer: Composer }) {
  const target = composer.target.value;
  return (
    <div class="compose-address">
      {target.kind === 'stream' ? (
        <StreamAndTopicFields key="stream" composer={composer} target={target} />
      ) : (
        <DirectRecipientsField key="direct" composer={composer} target={target} />
      )}
      <IconButton icon="close" label={t('compose.close')} onClick={() => composer.resetToViewedConversation()} />
    </div>
  );
}
