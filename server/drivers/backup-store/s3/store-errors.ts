/** What the bucket, or the way to it, says, as a fault of the store. */
import { StoreError, type StoreFault } from '#server/drivers/backup-store/backup-store.ts'

const faultsByName: Record<string, StoreFault> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  // An upload that somebody ended, or that is over: what was to be there is not.
  NoSuchUpload: 'unreachable',
  NoSuchBucket: 'refused',
  BadDigest: 'damaged',
  InvalidDigest: 'damaged',
  XAmzContentChecksumMismatch: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  // The object was replaced while it was read.
  PreconditionFailed: 'damaged',
  CredentialsProviderError: 'refused',
  EntityTooLarge: 'no_room',
  QuotaExceeded: 'no_room',
  InsufficientStorage: 'no_room',
  XMinioStorageFull: 'no_room',
  XMinioAdminBucketQuotaExceeded: 'no_room',
}

/** The SDK's own, where bytes do not fit the checksum that came with them. */
const isChecksumMismatch = (message: string) => message.startsWith('Checksum mismatch')

export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { name = '', message = String(error) } = error as Partial<Error>
  const status = getStatus(error)
  const fault = faultsByName[name] ?? (isChecksumMismatch(message) ? 'damaged' : toStatusFault(status))
  return new StoreError(fault, `The bucket says ${name || 'an error'}${status ? ` (${status})` : ''}: ${message}`, {
    cause: error,
  })
}

/** Undefined: nobody answered. */
const getStatus = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode

function toStatusFault(status: number | undefined): StoreFault {
  if (status === undefined || status >= 500 || status === 429 || status === 408) return 'unreachable'
  if (status === 507) return 'no_room'
  return status === 404 ? 'missing' : 'refused'
}

/** The same again may turn out differently, now. */
export const isRetryable = (error: StoreError): boolean => error.fault === 'unreachable'
