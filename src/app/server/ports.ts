/**
 * The ports of a process, which are its interfaces to Store, log, bus and other services, and the settings that the
 * ports of both faces (embedded, cluster) use.
 */
import type { BackupSummary } from '#app/backup';
import type { ServerConfig } from '#app/config';
import type { Clock } from '#base/clock';
import { type Mailer, SmtpMailer } from '#domain/mail';
import type { BlobStorage } from '#ports/blobs';
import type { Bus, LocalBusHub } from '#ports/bus';
import type { EventLog, EventLogRetentionLimits } from '#ports/log';
import type { HostAbsenceWatch, ReportingPartitionPlacement } from '#ports/placement';
import type { Store } from '#ports/store';

export interface ProcessPorts {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Hub of the bus, through which workers reach it; only the process of the embedded face that has the data has it. */
  readonly localBusHub?: LocalBusHub;
  readonly log: EventLog;
  readonly blobs: BlobStorage;
  /** Watches the actor hosts; only processes of a cluster that are not actor hosts have it. */
  readonly hosts?: HostAbsenceWatch | undefined;
  /** Interfaces that only an actor host needs; undefined in a process that only is a frontend. */
  readonly actors:
    | { readonly store: Store; readonly placement: ReportingPartitionPlacement; readonly mailer: Mailer }
    | undefined;
  /** Backs the running server up into the folder; undefined in a cluster. @throws AdminError */
  readonly backUp?: (folder: string) => Promise<BackupSummary>;
  /**
   * Returns a number in [0, 1), for choices where every outcome is correct, such as jitter. Default: Math.random.
   */
  readonly random?: () => number;
  /** Closes all interfaces to services, each before those that it needs. */
  close(): Promise<void>;
}

export const eventLogLimitsOf = (config: ServerConfig): EventLogRetentionLimits => ({
  maxAgeMs: config.logHours * 3_600_000,
  maxBytes: config.logMib * 1_048_576,
});

/** Sender address of all mails, as `Name <address>`. */
export const mailSenderAddressOf = (config: ServerConfig): string =>
  config.mailFrom ?? `Conclave <noreply@${config.externalHost.replace(/:\d+$/, '')}>`;

/** Mailer for the configured mail server; undefined when none is configured. */
export const createSmtpMailer = (config: ServerConfig): Mailer | undefined =>
  config.smtpUrl === undefined ? undefined : new SmtpMailer(config.smtpUrl, mailSenderAddressOf(config));
