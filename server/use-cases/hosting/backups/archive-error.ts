export type BackupArchiveFault =
  /** The archive is not as written. It was cut, changed, or made by somebody else. */
  | 'damaged'
  /** No key of the company opens it. */
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
