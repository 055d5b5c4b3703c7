import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'
import type { Config, FreeSpaceMark } from '#server/config/config.ts'
import { getRefusalThreshold, measureDiskSpace } from '#server/db/embedded/free-space.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'

export const openFiles = ({ filesDir, freeSpace }: Pick<Config, 'filesDir' | 'freeSpace'>): FileStore =>
  createFolderStore({ folder: filesDir, hasRoom: createSpaceCheck(freeSpace, filesDir) })

export const createSpaceCheck = (freeSpace: FreeSpaceMark, folder: string) => async () => {
  const { free: freeBytes, total } = await measureDiskSpace(folder)
  return freeBytes >= getRefusalThreshold(freeSpace, total)
}

/** Opens the bucket when it is first used: the SDK takes as long to load as the rest of the server. */
export function openBucketStore(bucket: BucketSettings, prefix = ''): FileStore {
  let storePromise: Promise<FileStore> | null = null
  const open = () =>
    (storePromise ??= import('#server/drivers/file-store/s3/store.ts').then((s3) =>
      s3.createBucketStore(bucket, { prefix }),
    ))
  return {
    location: { kind: 's3', bucket, prefix },
    put: async (...args) => (await open()).put(...args),
    async *get(...args) {
      yield* (await open()).get(...args)
    },
    stat: async (...args) => (await open()).stat(...args),
    async *list(...args) {
      yield* (await open()).list(...args)
    },
    remove: async (...args) => (await open()).remove(...args),
    cleanUp: async (...args) => (await open()).cleanUp(...args),
    close: async () => (await storePromise)?.close(),
  }
}
