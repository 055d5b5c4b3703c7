/** Why an archive cannot be read, or made. */

export type ArchiveFault =
  /** It is not what was written: cut, changed, or never ours. */
  | 'damaged'
  /** None of the keys opens it. */
  | 'no_key'
  /** A row is larger than an archive takes. */
  | 'too_large'

export class ArchiveError extends Error {
  readonly fault: ArchiveFault
  constructor(fault: ArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ArchiveError'
    this.fault = fault
  }
}

export const damaged = (why: string, cause?: unknown): ArchiveError =>
  new ArchiveError('damaged', `The archive is damaged: ${why}.`, cause === undefined ? {} : { cause })
