import { useEffect, useState, useSyncExternalStore } from 'react'
import { listUploads } from '#contract/staff/apps.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { getPackagesPort } from '#features/apps/upload/upload-slice.ts'
import type { KnownVersions } from '#features/apps/upload/upload-entry.ts'
import { UploadQueue } from '#features/apps/upload/upload-queue.ts'

/** The upload queue of this page. `apps`: the catalogue on this device, null until it was read. */
export function useUploadQueue(apps: KnownVersions | null) {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [current] = useState<{ apps: KnownVersions | null; isOnline: boolean }>(() => ({ apps, isOnline }))
  const [queue] = useState(
    () =>
      new UploadQueue({
        readFile: async (file) =>
          (await import(/* chunk: staff-packages */ '#features/apps/upload/read-file.ts')).readFile(file),
        send: async (file, options) => (await dispatch(getPackagesPort())).send(file, options),
        forget: async (id) => (await dispatch(getPackagesPort())).forget(id),
        fetchUploads: () => dispatch(callEndpoint(listUploads, {})),
        getKnownApps: () => current.apps ?? new Map(),
        isOnline: () => current.isOnline,
      }),
  )
  const { entries, isFull } = useSyncExternalStore(queue.subscribe, queue.getState)
  useEffect(() => void Object.assign(current, { apps, isOnline }), [current, apps, isOnline])
  useEffect(() => {
    if (!isOnline) return
    queue.wake()
    void queue.refresh()
  }, [queue, isOnline])
  useEffect(() => () => queue.close(), [queue])
  return { queue, entries, isFull }
}
