/**
 * `backups [rounds] [seed]`: a portal that is killed at random points of backups and restores, and started again. An archive is whole
 * or not there, a service has its old data or that of the backup, a flipped bit is found before anything is overwritten, and bytes
 * that moved are counted once.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import type { StoredBackupRow } from '#contract/backups.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { finalOf, quiet, serviceOf, type Staff } from '#tests/campaigns/services.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { between, type Chance, chanceOf, pick } from '#tests/support/runner/chance.ts'
import { processesOf } from '#tests/support/hosting/hosting.ts'
import { itemsOf, putItems } from '#tests/support/hosting/instance-items.ts'
import { outsideClient } from '#tests/support/server/outside-client.ts'

export async function run([rounds = '100', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`backups: ${rounds} kills, seed ${seed}`)
  const { wrong, ended } = await killedBackups(Number(rounds), chanceOf(Number(seed)), (line) => console.log(line))
  for (const line of wrong) console.log(line)
  console.log(`${JSON.stringify(ended)}, ${wrong.length} wrong`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}

export interface KilledBackups {
  /** In words, empty where all is well. */
  wrong: string[]
  /** How many rounds ended how: by what was asked and the last status, `cut` where the kill came before it was begun. */
  ended: Record<string, number>
}

/** Subscribed to archives in the demo world. */
const code = 'acmetrade'
/** So many that a kill meets them on their way. */
const count = 4000
const dataOf = (round: number) =>
  Array.from({ length: count }, (_, at) => `data of ${round} ${(at * 7919) % 1_000_003}`)

interface Field {
  portal: Portal
  staff: Staff
  id: number
  host: { folder: string }
  bucket: string
  /** Round whose data each backup holds, by its id. */
  holds: Map<number, number>
  result: KilledBackups
}

export async function killedBackups(
  rounds: number,
  chance: Chance,
  tell: (line: string) => void = () => undefined,
): Promise<KilledBackups> {
  const portal = await startPortal({ HOSTING: 'local', ACCESS_SECONDS: '3600', REFRESH_IDLE_SECONDS: '3600' })
  const host = { folder: join(portal.dataDir, 'hosting') }
  const result: KilledBackups = { wrong: [], ended: {} }
  try {
    const staff = await outsideClient(portal)
    await quiet(staff, (line) => result.wrong.push(`begin: ${line}`))
    const { id } = await serviceOf(staff)
    const bucket = join(portal.dataDir, 'backups')
    const field: Field = { portal, staff, id, host, bucket, holds: new Map(), result }
    putItems(host, code, id, dataOf(0))
    let now = 0
    for (let round = 1; round <= rounds; round++) now = await play(field, { round, now, chance, tell })
    await portal.stop()
    await compareTraffic(field)
  } finally {
    await portal.close()
  }
  if (processesOf(host.folder).length > 0) result.wrong.push('processes were left')
  return result
}

interface Round {
  round: number
  /** Of which round the service's data is. */
  now: number
  chance: Chance
  tell: (line: string) => void
}

/** Answers of which round the data is after it. */
async function play(field: Field, { round, now, chance, tell }: Round): Promise<number> {
  const { portal, staff, id, host, holds, result } = field
  const good = [...holds.keys()]
  const ask = good.length === 0 ? 'backup' : pick(chance, ['backup', 'restore', 'restore', 'flipped'])
  const wrong = (line: string) => void result.wrong.push(`${round} ${ask}: ${line}`)
  const backupId = ask === 'backup' ? 0 : pick(chance, good)
  if (ask === 'backup') putItems(host, code, id, dataOf(round))
  const before = ask === 'backup' ? round : now
  const mend = ask === 'flipped' ? flip(field, backupId, chance) : () => undefined
  const body =
    ask === 'backup'
      ? { path: '/api/pdb/backup', payload: { service_id: id, pdb_type: 'pdb2s3' } }
      : { path: '/api/pdb/restore', payload: { backup_id: backupId, service_id: id } }
  const begun = staff.send(body.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body.payload),
  })
  const ms = between(chance, 0, 1200)
  await wait(ms)
  await portal.kill()
  const location = (await begun)?.headers.get('location') ?? null
  await portal.start()
  const end = location === null ? 'cut' : String(await finalOf(staff, location))
  result.ended[`${ask} ${end}`] = (result.ended[`${ask} ${end}`] ?? 0) + 1
  tell(`${round} ${ask} killed after ${ms} ms: ${end}`)
  await quiet(staff, wrong)
  mend()

  if (![ask === 'flipped' ? '409' : '200', 'cut'].includes(end)) wrong(`it ended as ${end}`)
  const found = itemsOf(host, code, id)
  const is = (of: number) => JSON.stringify(found) === JSON.stringify(dataOf(of))
  const after = holds.get(backupId) ?? -1
  const may = ask === 'restore' ? (end === '200' ? [after] : [before, after]) : [before]
  const which = may.find(is)
  if (which === undefined) wrong(`${found.length} items that are of none: ${found[0]}`)
  await compareBucket(field, ask === 'backup' ? round : null, wrong)
  return which ?? before
}

/** A bit anywhere in the archive. Answers how to put it back. */
function flip({ bucket }: Field, backupId: number, chance: Chance): () => void {
  const path = join(bucket, archivesIn(bucket).find((name) => name.endsWith(`Z-${backupId}.age`)) ?? '')
  const whole = readFileSync(path)
  const damaged = Buffer.from(whole)
  const at = between(chance, 0, whole.length - 1)
  damaged[at] = (damaged[at] ?? 0) ^ (1 << between(chance, 0, 7))
  writeFileSync(path, damaged)
  return () => writeFileSync(path, whole)
}

const archivesIn = (bucket: string): string[] => {
  try {
    return readdirSync(bucket, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.age'))
  } catch {
    return []
  }
}

/** All of them: a page has 50. */
async function rowsOf({ staff, id }: Field): Promise<StoredBackupRow[]> {
  const rows: StoredBackupRow[] = []
  for (let page = 1; ; page++) {
    const query = `serviceId=${id}&pdb_type=pdb2s3&results=50&page=${page}&sortField=id&sortOrder=asc`
    const answer = await staff.send(`/api/pdb/backup?${query}`)
    const { data = [] } = ((await answer?.json()) ?? {}) as { data?: StoredBackupRow[] }
    rows.push(...data)
    if (data.length < 50) return rows
  }
}

/** What the rows say against what lies there. `made`: the round whose data a new one holds. */
async function compareBucket(field: Field, made: number | null, wrong: (line: string) => void): Promise<void> {
  const { bucket, holds } = field
  // One of which nobody was told, and one by the clock, go on after the start.
  const rows = await ended(field)
  const names = archivesIn(bucket)
  for (const { id, state, bytes } of rows) {
    const own = names.filter((name) => name.endsWith(`Z-${id}.age`))
    if (state !== 'done') {
      if (own.length > 0) wrong(`backup ${id} is ${state}, and lies there`)
      if (state !== 'removed') wrong(`backup ${id} is ${state}`)
      continue
    }
    const [name] = own
    if (own.length !== 1 || name === undefined) wrong(`backup ${id} is done, and lies there ${own.length} times`)
    else if (statSync(join(bucket, name)).size !== bytes) wrong(`backup ${id} has not the size that it should have`)
    if (!holds.has(id) && made !== null) holds.set(id, made)
  }
  const known = new Set(rows.map(({ id }) => String(id)))
  for (const name of names)
    if (!known.has(/Z-(\d+)\.age$/.exec(name)?.[1] ?? '')) wrong(`${name} lies there, and no row knows of it`)
}

async function ended(field: Field): Promise<StoredBackupRow[]> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const rows = await rowsOf(field)
    if (rows.every(({ state }) => state !== 'running') || Date.now() > deadline) return rows
    await wait(200)
  }
}

/** One that is made again is of another moment, and packed into some bytes more or less: what had moved of the first one stays. */
const unlike = 100

/** Once each, whatever was begun again. */
async function compareTraffic({ portal: { dataDir }, result: { wrong } }: Field): Promise<void> {
  const database = await openDatabase(readConfig({ DATA_DIR: dataDir }), pino({ level: 'silent' }))
  try {
    const { backups, moved } = await database.kysely.transaction().execute(async (db) => {
      await sql`set local role portal_system`.execute(db)
      return {
        backups: await db.selectFrom('backup').selectAll().where('pdb_type', '=', 'pdb2s3').execute(),
        moved: await db.selectFrom('traffic_moved').selectAll().execute(),
      }
    })
    const restores = new Map<string, number>()
    for (const { run: name, bytes } of moved) restores.set(name, (restores.get(name) ?? 0) + bytes)
    for (const { id, state, bytes } of backups) {
      const counted = restores.get(`backup-${id}`) ?? 0
      const own = bytes ?? 0
      if (state === 'done' && (counted < own || counted > own + unlike))
        wrong.push(`backup ${id} has ${bytes} bytes, and ${counted} are counted`)
    }
    const most = Math.max(...backups.map(({ bytes }) => bytes ?? 0))
    for (const [name, bytes] of restores)
      if (bytes > most + unlike) wrong.push(`${name} counts ${bytes} bytes, more than once`)
  } finally {
    await database.close()
  }
}
