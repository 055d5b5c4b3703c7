/**
 * vitest's global set-up: the migrated database that every test's own is made from. Made before anybody's patience counts, and
 * by one: the first of a machine takes its time.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { databaseFolder } from '#server/db/embedded/data-folder.ts'
import { openEmbedded } from '#server/db/embedded/open.ts'

export default async function setup(): Promise<() => Promise<void>> {
  await prepared()
  return () => rm(copiesOf(process.pid), { recursive: true, force: true })
}

/** Where the workers of that run have their databases: some are ended before they could remove theirs. */
export const copiesOf = (run: number): string => join(tmpdir(), `portal-databases-${run}`)

/** Lays a data folder with a migrated, empty database where a server is to find it: to make one takes seconds. */
export async function layDataFolder(dataDir: string): Promise<void> {
  // The synchronous copy is a twentieth of the work of the other one.
  cpSync(await prepared(), dataDir, { recursive: true })
}

/** Of a test's few rows. The engine zeroes this memory at each start, which takes half a second with its usual 128 MB. */
const smallMemory = '\nshared_buffers = 16MB\n'

/** A data folder, made once for these migrations; it gets its name once it is whole. */
async function prepared(): Promise<string> {
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
  const folder = join(cache, `portal-data-folder-${await shapeOf()}`)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  const config = { dataDir: draft, freeSpace: { bytes: 0, percent: 0 } }
  await (await openEmbedded(config, pino({ level: 'silent' }))).close()
  await appendFile(join(databaseFolder(draft), 'postgresql.conf'), smallMemory)
  await rename(draft, folder)
  return folder
}

/** Of everything that a migrated database is made of: the engine's version, its setting and the migrations' text. */
async function shapeOf(): Promise<string> {
  const root = join(import.meta.dirname, '..', '..')
  const folder = join(root, 'server', 'db', 'migrations')
  const files = (await readdir(folder)).sort().map((name) => join(folder, name))
  const texts = await Promise.all(
    [...files, join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json')].map((file) => readFile(file)),
  )
  return texts
    .reduce((hash, text) => hash.update(text), createHash('sha256').update(smallMemory))
    .digest('hex')
    .slice(0, 16)
}
