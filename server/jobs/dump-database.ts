/** Writes hourly dumps of the embedded database. That database never calls fsync, so a power failure may destroy its files. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppContext } from '#server/context/context.ts'

const hourMs = 3_600_000
/** Maximum number of stored dumps: those of one day. */
export const maxDumpCount = 24

export const getDumpFolder = (dataDir: string) => join(dataDir, 'dumps')

const isDump = (name: string) => name.endsWith('.tar.gz')

/** Returns the oldest dump first. File names are times in UTC. */
const listDumps = async (folder: string) => (await readdir(folder)).filter(isDump).sort()

/** Writes a dump and deletes the oldest ones. Returns the path of the dump, or null on PostgreSQL, which has its own tools. */
export async function dumpDatabase({ database, config, clock }: AppContext): Promise<string | null> {
  if (!database.dumpTo) return null
  const folder = getDumpFolder(config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${new Date(clock()).toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.gz`
  await database.dumpTo(join(folder, name))
  const dumpNames = await listDumps(folder)
  for (const oldName of dumpNames.slice(0, -maxDumpCount)) await rm(join(folder, oldName))
  return join(folder, name)
}

export async function dumpDatabaseIfDue(app: AppContext): Promise<void> {
  if ((await getLatestDumpAge(app)) < hourMs) return
  const startedAt = performance.now()
  const path = await dumpDatabase(app)
  if (path)
    app.log.info(
      { event: 'database_dumped', path, ms: Math.round(performance.now() - startedAt) },
      'wrote a database dump',
    )
}

async function getLatestDumpAge({ config, clock }: AppContext): Promise<number> {
  const folder = getDumpFolder(config.dataDir)
  const latestName = (await listDumps(folder).catch(() => [])).at(-1)
  if (latestName === undefined) return Infinity
  return clock() - (await stat(join(folder, latestName))).mtimeMs
}
