import {
  type CheckpointSettings,
  type CheckpointStore,
  noCheckpointStore,
} from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { createFileStore } from '#server/drivers/checkpoint-store/file-store.ts'

export function openCheckpointStore(settings: CheckpointSettings): CheckpointStore {
  if (settings.kind === 'none') return noCheckpointStore
  if (settings.kind === 'file') return createFileStore(settings.path)
  let storePromise: Promise<CheckpointStore> | null = null
  // Loaded on first use: the SDK takes as long to load as the rest of the server.
  const open = () =>
    (storePromise ??= import('#server/drivers/checkpoint-store/s3-store.ts').then(({ createS3Store: openS3Store }) =>
      openS3Store(settings.bucket, settings.key),
    ))
  return {
    name: 's3',
    read: async () => (await open()).read(),
    replace: async (text, version) => (await open()).replace(text, version),
    close: async () => (await storePromise)?.close(),
  }
}
