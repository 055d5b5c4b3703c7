import { useEffect, useState, useSyncExternalStore } from 'react'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { askUploads, packagesPort } from '#features/apps/upload/slice.ts'
import type { KnownApps } from '#features/apps/upload/upload-entry.ts'
import { UploadQueue } from '#features/apps/upload/upload-queue.ts'

/** The files of this page, as long as it stands. `apps`: what this device knows of the catalogue; null until it was asked. */
export function useUploadQueue(apps: KnownApps | null) {
  const dispatch = useDispatch()
  const isOnline = useConnection().line === 'online'
  const [now] = useState<{ apps: KnownApps | null; isOnline: boolean }>(() => ({ apps, isOnline }))
  const [queue] = useState(
    () =>
      new UploadQueue({
        read: async (file) =>
          (await import(/* chunk: staff-packages */ '#features/apps/upload/read-file.ts')).readFile(file),
        send: async (file, options) => (await dispatch(packagesPort())).send(file, options),
        forget: async (id) => (await dispatch(packagesPort())).forget(id),
        list: () => dispatch(askUploads()),
        apps: () => now.apps ?? new Map(),
        isOnline: () => now.isOnline,
      }),
  )
  const { entries, isFull } = useSyncExternalStore(queue.subscribe, queue.snapshot)
  useEffect(() => void Object.assign(now, { apps, isOnline }), [now, apps, isOnline])
  useEffect(() => {
    if (!isOnline) return
    queue.wake()
    void queue.refresh()
  }, [queue, isOnline])
  useEffect(() => () => queue.close(), [queue])
  return { queue, entries, isFull }
}
