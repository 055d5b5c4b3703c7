import { useEffect, useState } from 'react'
import { readLocalFile } from '#local/outbox/files.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { getPictureUrl } from '#ui/display/Avatar.tsx'

/** Returns an address in this page that shows the file; null until it is created. */
export function useFileUrl(file: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const objectUrl = URL.createObjectURL(file)
    setUrl(objectUrl)
    return () => {
      URL.revokeObjectURL(objectUrl)
      setUrl(null)
    }
  }, [file])
  return url
}

/** Returns the address of a row's picture: on the server, or on this device while its upload waits (protocol 22). */
export function usePicture(avatar: string | null): string | null {
  const pendingFileId = avatar?.startsWith('~') ? avatar.slice(1) : null
  const localFile = useLiveQuery(
    async () => (pendingFileId === null ? null : await readLocalFile(pendingFileId)),
    [pendingFileId],
  )
  const [file, setFile] = useState<Blob | null>(null)
  useEffect(() => setFile(localFile ? new Blob([localFile.bytes], { type: localFile.type }) : null), [localFile])
  const url = useFileUrl(file)
  if (pendingFileId === null) return getPictureUrl(avatar)
  return localFile?.assetId ? getPictureUrl(localFile.assetId) : url
}
