/** The ports that a process runs on: the embedded set, or those of a cluster. */
import type { BackupSummary } from '#app/backup';
import type { Clock } from '#base/clock';
import type { Mailer } from '#domain/mail';
import type { Blobs } from '#ports/blobs';
import type { Bus } from '#ports/bus';
import type { EventLog } from '#ports/log';
import type { HostWatch, ReportingPlacement } from '#ports/placement';
import type { Store } from '#ports/store';

export interface Ports {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: EventLog;
  readonly blobs: Blobs;
  /** Processes of a cluster that are no actor hosts. */
  readonly hosts?: HostWatch | undefined;
  /** Only where actors run. */
  readonly actors:
    | { readonly store: Store; readonly placement: ReportingPlacement; readonly mailer: Mailer }
    | undefined;
  /** Embedded: writes a backup into that folder, while everything goes on. @throws AdminError */
  readonly backUp?: (folder: string) => Promise<BackupSummary>;
  /** 0 ≤ x < 1, where chance decides something harmless; absent: Math.random. */
  readonly random?: () => number;
  /** In the order in which they must be closed. */
  close(): Promise<void>;
}
