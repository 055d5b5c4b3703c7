/** What a disk says, as a fault of a store. */
import { StoreError, type StoreFault } from '#server/drivers/backup-store/backup-store.ts'

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

/** All that fails in `work` is thrown as a StoreError. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreError(faultsByCode[getErrorCode(error)] ?? 'unreachable', message, { cause: error })
  }
}
