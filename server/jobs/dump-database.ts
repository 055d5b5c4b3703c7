/** The hourly dump of the embedded database: it never calls fsync, so a power cut may take its files. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppContext } from '#server/context/context.ts'

const hourMs = 3_600_000
/** A day of them. */
export const maxDumps = 24

export const dumpFolder = (dataDir: string) => join(dataDir, 'dumps')

const isDump = (name: string) => name.endsWith('.tar.gz')

/** Oldest first: names are times in UTC. */
const dumpsIn = async (folder: string) => (await readdir(folder)).filter(isDump).sort()

/** Writes one and takes the oldest away. Answers its path; null on PostgreSQL, which has tools of its own. */
export async function dump({ database, config, clock }: AppContext): Promise<string | null> {
  if (!database.dumpTo) return null
  const folder = dumpFolder(config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${new Date(clock()).toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.gz`
  await database.dumpTo(join(folder, name))
  const all = await dumpsIn(folder)
  for (const old of all.slice(0, -maxDumps)) await rm(join(folder, old))
  return join(folder, name)
}

/** Dumps when the newest one is an hour old, also after a restart. */
export async function dumpWhenDue(app: AppContext): Promise<void> {
  if ((await ageOfNewest(app)) < hourMs) return
  const before = performance.now()
  const path = await dump(app)
  if (path) app.log.info({ path, ms: Math.round(performance.now() - before) }, 'dumped')
}

async function ageOfNewest({ config, clock }: AppContext): Promise<number> {
  const folder = dumpFolder(config.dataDir)
  const newest = (await dumpsIn(folder).catch(() => [])).at(-1)
  if (newest === undefined) return Infinity
  return clock() - (await stat(join(folder, newest))).mtimeMs
}
