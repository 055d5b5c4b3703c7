import { StoreError, type StoreFault } from '#server/drivers/file-store/store-error.ts'

const faultsByCode: Record<string, StoreFault> = {
  ENOENT: 'missing',
  ENOSPC: 'no_room',
  EDQUOT: 'no_room',
  EIO: 'damaged',
  EACCES: 'refused',
  EPERM: 'refused',
  EROFS: 'refused',
  ELOOP: 'refused',
  ENOTDIR: 'refused',
  EISDIR: 'refused',
}

export const getErrorCode = (error: unknown): string => String((error as NodeJS.ErrnoException).code)

/** Rethrows every error of `work` as a StoreError. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreError(faultsByCode[getErrorCode(error)] ?? 'unreachable', message, { cause: error })
  }
}
