import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartProblem } from '#server/config/config.ts'
import { type FolderLock, lockFolder } from '#server/db/embedded/folder-lock.ts'

/**
 * Format number of the data folder. It is raised when the layout of the folder or of the engine's files becomes unsafe for an older build.
 */
const folderFormat = 1
/** Major version of PostgreSQL in the embedded engine. */
const engineVersion = '18'

const markerName = 'portal.json'

/** Creates and locks the folder. Throws StartProblem if the folder belongs to another program or to a newer build, or is locked. */
export async function claimDataFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StartProblem(`Could not create the data folder ${folder}: ${error.message}.`)
  })
  await requireOwnFolder(folder)
  await makePrivate(folder)
  const lock = await lockFolder(folder)
  try {
    await requireKnownFormat(folder)
    await writeFile(join(folder, markerName), `${JSON.stringify({ portal: folderFormat })}\n`)
    return lock
  } catch (error) {
    await lock.release()
    throw error
  }
}

export const getDatabaseFolder = (folder: string) => join(folder, 'database')

/**
 * Returns a folder for a new database. `finish` renames it when the database is complete, so a killed first start leaves no incomplete
 * database.
 */
export async function createDatabaseDraft(folder: string) {
  const draftFolder = join(folder, 'database.new')
  await rm(draftFolder, { recursive: true, force: true })
  return { draftFolder, finish: () => rename(draftFolder, getDatabaseFolder(folder)) }
}

export const hasDatabase = async (folder: string) => (await readEntries(folder)).includes('database')

async function requireOwnFolder(folder: string): Promise<void> {
  const names = (await readEntries(folder)).filter((name) => !name.startsWith('portal.lock') && name !== 'token.key')
  if (names.length === 0 || names.includes(markerName)) return
  throw new StartProblem(
    `The folder ${folder} contains files of another program (${names.slice(0, 3).join(', ')}): set DATA_DIR to an empty folder.`,
  )
}

const othersMode = 0o077

/**
 * Makes the folder and its files private, because other users could replace code and data. Throws StartProblem if that fails. Windows has
 * no such file modes.
 */
async function makePrivate(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  for (const path of [folder, ...(await readEntries(folder)).map((name) => join(folder, name))]) {
    const mode = await readMode(path)
    if ((mode & othersMode) === 0) continue
    await chmod(path, mode & 0o700).catch(() => undefined)
    if (((await readMode(path)) & othersMode) !== 0)
      throw new StartProblem(
        `Other users of this machine can access ${path}, and the portal could not change its permissions: run chmod go= ${path}.`,
      )
  }
}

/** Returns the mode of a file. Returns 0 if the file no longer exists: a running server deletes its temporary files. */
const readMode = (path: string): Promise<number> =>
  stat(path).then(
    ({ mode }) => mode,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0
      throw error
    },
  )

async function requireKnownFormat(folder: string): Promise<void> {
  const markerText = await readFile(join(folder, markerName), 'utf8').catch(() => null)
  if (markerText !== null) {
    const storedFormat = readFormat(markerText)
    if (storedFormat === null)
      throw new StartProblem(
        `Could not read the file ${join(folder, markerName)}: check that ${folder} is the data folder of this portal.`,
      )
    if (storedFormat > folderFormat)
      throw new StartProblem(`A newer version of the portal created the data folder ${folder}: start that version.`)
  }
  const version = await readFile(join(getDatabaseFolder(folder), 'PG_VERSION'), 'utf8').catch(() => null)
  if (version !== null && version.trim() !== engineVersion)
    throw new StartProblem(
      `The data folder ${folder} contains a database of PostgreSQL ${version.trim()}, but this version of the portal needs PostgreSQL ${engineVersion}.`,
    )
}

function readFormat(text: string): number | null {
  try {
    const { portal } = JSON.parse(text) as { portal?: unknown }
    return typeof portal === 'number' ? portal : null
  } catch {
    return null
  }
}

const readEntries = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: Error) => {
    throw new StartProblem(`Could not read the data folder ${folder}: ${error.message}.`)
  })
