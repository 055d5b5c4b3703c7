/**
 * Checks once that a bucket supports conditional writes (`If-None-Match: *`). Without them two nodes could overwrite each other's pieces of
 * an upload, so nothing is written to such a bucket.
 */
import { randomUUID } from 'node:crypto'
import { toBody } from '#server/drivers/file-store/bodies.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'

/** Prefix of the small objects of the check. */
const checkPrefix = 'checks/'

/** The first `put` waits for the check. A check that fails for another reason, such as an unreachable bucket, is repeated by the next `put`. */
export function requireConditionalWrites(store: FileStore): FileStore {
  let checkPromise: Promise<boolean> | null = null
  const check = () =>
    (checkPromise ??= hasConditionalWrites(store).catch((error: unknown) => {
      checkPromise = null
      throw error
    }))
  return {
    ...store,
    async put(...args) {
      if (await check()) return store.put(...args)
      throw new StoreError('refused', 'The bucket ignores If-None-Match: it needs conditional writes.')
    },
  }
}

async function hasConditionalWrites(store: FileStore): Promise<boolean> {
  const key = `${checkPrefix}${randomUUID()}`
  try {
    await store.put(key, toBody('first'), { onlyIfAbsent: true })
    const { isWritten } = await store.put(key, toBody('second'), { onlyIfAbsent: true })
    return !isWritten
  } finally {
    await store.remove(key).catch(() => undefined)
  }
}
