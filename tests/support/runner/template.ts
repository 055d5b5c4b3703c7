/**
 * vitest's global set-up: the databases that those of the tests are copies of. Made before anybody's patience counts, and
 * by one: the first of a machine takes its time.
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

/** Where the workers of that run have their databases: some are ended before they could remove theirs. */
export const getCopiesFolder = (processId: number): string => join(tmpdir(), `portal-databases-${processId}`)

/** Lays a data folder with a migrated, empty database where a server is to find it: to make one takes seconds. */
export async function createDataFolder(dataDir: string): Promise<void> {
  copyFolder(await prepareDataFolder(), dataDir)
}

/** The same with a database that has no table. */
export async function createBareFolder(dataDir: string): Promise<void> {
  copyFolder(await prepareBareFolder(), dataDir)
}

// The synchronous copy is a twentieth of the work of the other one.
const copyFolder = (from: string, to: string) => cpSync(from, to, { recursive: true })

/** Of a test's few rows. The engine zeroes this memory at each start, which takes half a second with its usual 128 MB. */
const smallMemory = '\nshared_buffers = 16MB\n'

const silent = pino({ level: 'silent' })

/** A data folder, made once for these migrations. */
const prepareDataFolder = async () =>
  createCachedFolder(`portal-data-folder-${await digestMigrations()}`, async (draft) => {
    await createBareFolder(draft)
    const config = { dataDir: draft, freeSpace: { bytes: 0, percent: 0 } }
    await (await openEmbeddedDatabase(config, silent)).close()
  })

/** The same before the first migration: for the engine to make it takes the longest. */
const prepareBareFolder = async () =>
  createCachedFolder(`portal-bare-folder-${digest([await readFile(engineFile)])}`, async (draft) => {
    await (await openEngine(draft, silent)).close()
    await appendFile(join(getDatabaseFolder(draft), 'postgresql.conf'), smallMemory)
  })

/** What was made under that name, now or by a run before; it gets its name once it is whole. */
async function createCachedFolder(name: string, make: (draft: string) => Promise<void>): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', name)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  await make(draft)
  await rename(draft, folder)
  return folder
}

/** Of everything that a migrated database is made of: the engine's version, its setting and the migrations' text. */
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
