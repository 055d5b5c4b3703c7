import { StoreError, type StoreFault } from '#server/drivers/file-store/store-error.ts'

const faultsByName: Record<string, StoreFault> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  // The upload was aborted or is already completed, so a retry may succeed.
  NoSuchUpload: 'unreachable',
  // Another conditional write of the same key was in progress.
  ConditionalRequestConflict: 'unreachable',
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

/** Error text of the SDK if the received bytes do not match their checksum. */
const isChecksumMismatch = (message: string) => message.startsWith('Checksum mismatch')

export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { name = '', message = String(error) } = error as Partial<Error>
  const status = getStatus(error)
  const fault = faultsByName[name] ?? (isChecksumMismatch(message) ? 'damaged' : toStatusFault(status))
  return new StoreError(fault, `The bucket returned ${name || 'an error'}${status ? ` (${status})` : ''}: ${message}`, {
    cause: error,
  })
}

const getStatus = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode

function toStatusFault(status: number | undefined): StoreFault {
  if (status === undefined || status >= 500 || status === 429 || status === 408) return 'unreachable'
  if (status === 507) return 'no_room'
  return status === 404 ? 'missing' : 'refused'
}

/** True if the same call may succeed when it is repeated now. */
export const isRetryable = (error: StoreError): boolean => error.fault === 'unreachable'
