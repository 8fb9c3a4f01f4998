import { EmptyNotice } from '../../kit/index.js';
import { t } from '../../text/index.js';
import type { FetchedValue } from './fetched.js';

/** A list that could not be fetched. */
export function FetchFailedNotice({ of }: { readonly of: FetchedValue<unknown> }) {
  return (
    <EmptyNotice icon="warning" action={{ label: t('common.retry'), run: of.refetch }}>
      {of.error}
    </EmptyNotice>
  );
}
