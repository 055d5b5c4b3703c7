/**
 * vitest's global set-up: the migrated database that every test's own is made from. Made before anybody's patience counts, and
 * by one: the first of a machine takes its time.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { openEmbedded } from '#server/db/embedded/open.ts'

export default async function setup(): Promise<void> {
  await template()
}

/** A dump of a migrated database: made once for these migrations, then read by every test file in half a second. */
export const template = async (): Promise<string> => join(await prepared(), 'dump.tar')

/** Lays a data folder with a migrated, empty database where a server is to find it: to make one takes seconds. */
export const layDataFolder = async (dataDir: string): Promise<void> =>
  cp(join(await prepared(), 'data'), dataDir, { recursive: true })

/** A folder that holds both; it gets its name once it is whole. */
async function prepared(): Promise<string> {
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
  const folder = join(cache, `portal-template-${await shapeOf()}`)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  const config = { dataDir: join(draft, 'data'), freeSpace: { bytes: 0, percent: 0 } }
  const database = await openEmbedded(config, pino({ level: 'silent' }))
  await database.dumpTo?.(join(draft, 'dump.tar'))
  await database.close()
  await rename(draft, folder)
  return folder
}

/** Of everything that a migrated database is made of: the engine's version and the migrations' text. */
async function shapeOf(): Promise<string> {
  const root = join(import.meta.dirname, '..', '..')
  const folder = join(root, 'server', 'db', 'migrations')
  const files = (await readdir(folder)).sort().map((name) => join(folder, name))
  const texts = await Promise.all(
    [...files, join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json')].map((file) => readFile(file)),
  )
  return texts
    .reduce((hash, text) => hash.update(text), createHash('sha256'))
    .digest('hex')
    .slice(0, 16)
}
