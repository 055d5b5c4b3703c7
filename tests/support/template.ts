/**
 * vitest's global set-up: the migrated database that every test's own is made from. Made before anybody's patience counts, and
 * by one: the first of a machine takes its time.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { overEngine } from '#server/db/embedded/open.ts'
import { startEngine } from '#server/db/embedded/engine.ts'
import { migrate } from '#server/db/migrate.ts'

const silent = pino({ level: 'silent' })

export default async function setup(): Promise<void> {
  await template()
}

/** A dump of a migrated database: made once for these migrations, then read by every test file in half a second. */
export async function template(): Promise<string> {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
  const path = join(folder, `portal-template-${await shapeOf()}.tar`)
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  )
    return path
  const engine = await startEngine({ dataDir: null, load: null }, silent)
  const database = overEngine(
    engine,
    () => true,
    async () => undefined,
  )
  await migrate(database.kysely)
  await mkdir(folder, { recursive: true })
  const draft = `${path}.${process.pid}`
  await engine.dumpTo(draft)
  await rename(draft, path)
  await database.close()
  return path
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
