/** Creates a data folder from a dump. Refuses a folder that contains a database. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config/config.ts'
import { startEngine } from '#server/db/embedded/engine.ts'
import { hasDatabase, createDatabaseDraft, claimDataFolder } from '#server/db/embedded/data-folder.ts'

/** Returns the path of a file that exists in a data folder between a restore and the first start. */
export const getRestoredMarkPath = (folder: string) => join(folder, 'restored')

export async function restoreDump(folder: string, dump: string, log: Logger): Promise<void> {
  const lock = await claimDataFolder(folder)
  const tar = join(folder, 'portal.lock.restore.tar')
  try {
    if (await hasDatabase(folder))
      throw new StartProblem(`The folder ${folder} already contains a database: set DATA_DIR to an empty folder.`)
    await pipeline(createReadStream(dump), createGunzip(), createWriteStream(tar)).catch((error: Error) => {
      throw new StartProblem(`Could not read the dump ${dump}: ${error.message}.`)
    })
    const { draftFolder, finish } = await createDatabaseDraft(folder)
    const engine = await startEngine({ dataDir: draftFolder, load: tar }, log)
    await engine.close()
    await writeFile(getRestoredMarkPath(folder), '', { mode: 0o600 })
    await finish()
  } finally {
    await rm(tar, { force: true })
    await lock.release()
  }
}
