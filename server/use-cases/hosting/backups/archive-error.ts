/** Why an archive cannot be read, or made. */

export type BackupArchiveFault =
  /** It is not what was written: cut, changed, or never ours. */
  | 'damaged'
  /** None of the keys opens it. */
  | 'no_key'
  /** A row is larger than an archive takes. */
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
