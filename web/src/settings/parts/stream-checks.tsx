import { core } from '../../client/index.js';
import { t } from '../../text/index.js';

interface StreamCheckboxesProps {
  readonly label: string;
  readonly chosenIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

/** Chooses streams from those that the reader may give to others. */
export function StreamCheckboxes({ label, chosenIds, onChange }: StreamCheckboxesProps) {
  const offered = core.state.streams.allSortedByName.value.filter(
    ({ invite_only, membership }) => !invite_only || membership === 'subscribed',
  );
  if (offered.length === 0) return null;
  return (
    <fieldset class="choices stream-checks">
      <legend>{label}</legend>
      <p class="field-hint">{t('settings.chosen', { n: chosenIds.length })}</p>
      <div class="checks">
        {offered.map(({ stream_id, name }) => (
          <label key={stream_id} class="choice">
            <input
              type="checkbox"
              checked={chosenIds.includes(stream_id)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? [...chosenIds, stream_id]
                    : chosenIds.filter((one) => one !== stream_id),
                )
              }
            />
            <span>#{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
