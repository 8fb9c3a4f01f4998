import { core } from '../../client/index.js';
import { t } from '../../text/index.js';

interface ChecksProps {
  readonly label: string;
  readonly chosen: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

/** Chooses streams from those that the reader may give to others. */
export function StreamChecks({ label, chosen, onChange }: ChecksProps) {
  const offered = core.state.streams.all.value.filter(
    ({ invite_only, membership }) => !invite_only || membership === 'subscribed',
  );
  if (offered.length === 0) return null;
  return (
    <fieldset class="choices stream-checks">
      <legend>{label}</legend>
      <p class="field-hint">{t('settings.chosen', { n: chosen.length })}</p>
      <div class="checks">
        {offered.map(({ stream_id, name }) => (
          <label key={stream_id} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(stream_id)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked ? [...chosen, stream_id] : chosen.filter((one) => one !== stream_id),
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
