/**
 * Identifies a folder that nodes share by a random id in a file of its own. Two nodes may name the same folder differently (mounts), and
 * different folders may have the same name, so paths cannot be compared.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartProblem } from '#server/config/config.ts'

const markerName = '.store-id'
const idPattern = /^[0-9a-f-]{36}$/
/** Number and interval in ms of the attempts to read a marker that another node is just writing. */
const readAttempts = 10
const readIntervalMs = 100

/**
 * Returns the id of the folder of this setting. Creates folder and id if they do not exist. Throws StartProblem if the folder cannot be
 * used.
 */
export async function readFolderId(folder: string, setting = 'FILES_DIR'): Promise<string> {
  const path = join(folder, markerName)
  try {
    await mkdir(folder, { recursive: true })
    await createMarker(path)
    for (let attempt = 0; attempt < readAttempts; attempt++) {
      const id = (await readFile(path, 'utf8')).trim()
      if (idPattern.test(id)) return id
      await wait(readIntervalMs)
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new StartProblem(
      `The file ${path} in ${setting} cannot be read or written (${code}): set ${setting} to a folder in which this user may write.`,
      { cause: error },
    )
  }
  throw new StartProblem(`The file ${path} in ${setting} is damaged: stop all nodes and delete it.`)
}

async function createMarker(path: string): Promise<void> {
  // If several nodes start at the same time, all use the marker that was created first.
  await writeFile(path, randomUUID(), { flag: 'wx' }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
}
