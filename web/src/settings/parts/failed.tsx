import { Button, Empty } from '../../kit/index.js';
import { t } from '../../text/index.js';
import type { Fetched } from './fetched.js';

/** A list that could not be fetched. */
export function Failed({ of }: { readonly of: Fetched<unknown> }) {
  return (
    <Empty icon="warning">
      {of.error} <Button onClick={of.again}>{t('common.retry')}</Button>
    </Empty>
  );
}
