export type BackupArchiveFault =
  /** The archive was cut or changed, or was made by somebody else. */
  | 'damaged'
  /** No key of the company opens the archive. */
  | 'no_key'
  /** A row is larger than the limit of an archive. */
  | 'too_large'

export class BackupArchiveError extends Error {
  readonly fault: BackupArchiveFault
  constructor(fault: BackupArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ArchiveError'
    this.fault = fault
  }
}

export const createDamagedError = (reason: string, cause?: unknown): BackupArchiveError =>
  new BackupArchiveError('damaged', `The archive is damaged: ${reason}.`, cause === undefined ? {} : { cause })
