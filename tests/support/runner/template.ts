/**
 * Global set-up: creates the databases from which test databases are copied. This is done by one process before the timeout of any test
 * starts, because the first creation on a machine is slow.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { getDatabaseFolder } from '#server/db/embedded/data-folder.ts'
import { openEmbeddedDatabase, openEngine } from '#server/db/embedded/open.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const engineFile = join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json')

export default async function setup(): Promise<() => Promise<void>> {
  await prepareBareFolder()
  await prepareDataFolder()
  return () => rm(getCopiesFolder(process.pid), { recursive: true, force: true })
}

/** Returns the folder for the databases of a run's workers. Some workers end before they can remove theirs. */
export const getCopiesFolder = (processId: number): string => join(tmpdir(), `portal-databases-${processId}`)

/** Copies a migrated, empty database into the data folder. Creating one from scratch takes seconds. */
export async function createDataFolder(dataDir: string): Promise<void> {
  copyFolder(await prepareDataFolder(), dataDir)
}

export async function createBareFolder(dataDir: string): Promise<void> {
  copyFolder(await prepareBareFolder(), dataDir)
}

// Copies synchronously, which uses a twentieth of the processor time of the asynchronous copy.
const copyFolder = (from: string, to: string) => cpSync(from, to, { recursive: true })

/**
 * Memory settings that are enough for the few rows of a test. The engine clears this memory at each start, which takes half a second with
 * its default of 128 MB.
 */
const smallMemory = '\nshared_buffers = 16MB\n'

const silent = pino({ level: 'silent' })

const prepareDataFolder = async () =>
  createCachedFolder(`portal-data-folder-${await digestMigrations()}`, async (draft) => {
    await createBareFolder(draft)
    const config = { dataDir: draft, freeSpace: { bytes: 0, percent: 0 } }
    await (await openEmbeddedDatabase(config, silent)).close()
  })

/** Returns a folder of the database engine before the first migration. It is cached, because its creation is the slowest part. */
const prepareBareFolder = async () =>
  createCachedFolder(`portal-bare-folder-${digest([await readFile(engineFile)])}`, async (draft) => {
    await (await openEngine(draft, silent)).close()
    await appendFile(join(getDatabaseFolder(draft), 'postgresql.conf'), smallMemory)
  })

/** Returns the cached folder of that name, or creates it. It is renamed only when complete. */
async function createCachedFolder(name: string, make: (draft: string) => Promise<void>): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', name)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  await make(draft)
  await rename(draft, folder)
  return folder
}

/** Returns a digest of everything that determines a migrated database: the engine's version and settings, and the migrations. */
async function digestMigrations(): Promise<string> {
  const folder = join(root, 'server', 'db', 'migrations')
  const files = (await readdir(folder)).sort().map((name) => join(folder, name))
  return digest(await Promise.all([...files, engineFile].map((file) => readFile(file))))
}

const digest = (texts: readonly Buffer[]) =>
  texts
    .reduce((hash, text) => hash.update(text), createHash('sha256').update(smallMemory))
    .digest('hex')
    .slice(0, 16)
