import { open } from 'node:fs/promises'

/** Syncs a file's content or a folder's names. Does nothing on Windows, which cannot open folders and needs no sync. */
export async function syncToDisk(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
