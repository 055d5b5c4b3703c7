import { useEffect, useState } from 'react'
import { readLocalFile } from '#local/outbox/files.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { pictureAt } from '#ui/display/Avatar.tsx'

/** The address under which a file of this page can be drawn; null while there is none. */
export function useFileUrl(file: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(null)
    }
  }, [file])
  return url
}

/** Where a row's picture is drawn from: the server, or this device while its upload waits (protocol 22). */
export function usePicture(avatar: string | null): string | null {
  const waiting = avatar?.startsWith('~') ? avatar.slice(1) : null
  const here = useLiveQuery(async () => (waiting === null ? null : await readLocalFile(waiting)), [waiting])
  const [file, setFile] = useState<Blob | null>(null)
  useEffect(() => setFile(here ? new Blob([here.bytes], { type: here.type }) : null), [here])
  const url = useFileUrl(file)
  if (waiting === null) return pictureAt(avatar)
  return here?.assetId ? pictureAt(here.assetId) : url
}
