import { open } from 'node:fs/promises'

/** Of a file its content, of a folder its names. Windows keeps names by itself, and opens no folder. */
export async function syncToDisk(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
