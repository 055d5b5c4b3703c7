/**
 * `backups [rounds] [seed]`: kills and restarts a portal at random points of backups and restores. Checks that an archive is complete or
 * absent, that a service has its old data or the backup's, that a flipped bit is found before anything is overwritten, and that moved bytes
 * are counted once.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import type { StoredBackupRow } from '#contract/backups.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { waitForOutcome, waitUntilQuiet, readService, type StaffClient } from '#tests/campaigns/services.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random, createRandom, pick } from '#tests/support/runner/random.ts'
import { findProcesses } from '#tests/support/hosting/hosting.ts'
import { readItems, putItems } from '#tests/support/hosting/instance-items.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'

export async function run([rounds = '100', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`backups: ${rounds} kills, seed ${seed}`)
  const { reportFault, outcomes } = await runKilledBackups(Number(rounds), createRandom(Number(seed)), (text) =>
    console.log(text),
  )
  for (const fault of reportFault) console.log(fault)
  console.log(`${JSON.stringify(outcomes)}, ${reportFault.length} faults`)
  process.exitCode = reportFault.length === 0 ? 0 : 1
}

export interface KilledBackupsResult {
  reportFault: string[]
  /** Number of rounds by request and final status. `cut` means that the kill came before the work started. */
  outcomes: Record<string, number>
}

const code = 'acmetrade'
/** Number of items of a service. They must be enough that a kill interrupts a backup or restore. */
const itemCount = 4000
const buildItems = (round: number) =>
  Array.from({ length: itemCount }, (_, index) => `data of ${round} ${(index * 7919) % 1_000_003}`)

interface BackupCampaign {
  portal: Portal
  staff: StaffClient
  id: number
  host: { folder: string }
  bucket: string
  roundsByBackup: Map<number, number>
  result: KilledBackupsResult
}

export async function runKilledBackups(
  rounds: number,
  random: Random,
  report: (text: string) => void = () => undefined,
): Promise<KilledBackupsResult> {
  const portal = await startPortal({ HOSTING: 'local', ACCESS_SECONDS: '3600', REFRESH_IDLE_SECONDS: '3600' })
  const host = { folder: join(portal.dataDir, 'hosting') }
  const result: KilledBackupsResult = { reportFault: [], outcomes: {} }
  try {
    const staff = await createOutsideClient(portal)
    await waitUntilQuiet(staff, (text) => result.reportFault.push(`begin: ${text}`))
    const { id } = await readService(staff)
    const bucket = join(portal.dataDir, 'backups')
    const campaign: BackupCampaign = { portal, staff, id, host, bucket, roundsByBackup: new Map(), result }
    putItems(host, code, id, buildItems(0))
    let now = 0
    for (let round = 1; round <= rounds; round++) now = await playRound(campaign, { round, now, random, report })
    await portal.stop()
    await compareTraffic(campaign)
  } finally {
    await portal.close()
  }
  if (findProcesses(host.folder).length > 0) result.reportFault.push('processes still run after the end')
  return result
}

interface BackupRound {
  round: number
  /** Number of the round whose data the service contains. */
  now: number
  random: Random
  report: (text: string) => void
}

/** Returns the number of the round whose data the service contains afterwards. */
async function playRound(campaign: BackupCampaign, { round, now, random, report }: BackupRound): Promise<number> {
  const { portal, staff, id, host, roundsByBackup, result } = campaign
  const goodBackups = [...roundsByBackup.keys()]
  const requestKind = goodBackups.length === 0 ? 'backup' : pick(random, ['backup', 'restore', 'restore', 'flipped'])
  const reportFault = (text: string) => void result.reportFault.push(`${round} ${requestKind}: ${text}`)
  const backupId = requestKind === 'backup' ? 0 : pick(random, goodBackups)
  if (requestKind === 'backup') putItems(host, code, id, buildItems(round))
  const roundBefore = requestKind === 'backup' ? round : now
  const restoreArchive = requestKind === 'flipped' ? flip(campaign, backupId, random) : () => undefined
  const body =
    requestKind === 'backup'
      ? { path: '/api/pdb/backup', payload: { service_id: id, pdb_type: 'pdb2s3' } }
      : { path: '/api/pdb/restore', payload: { backup_id: backupId, service_id: id } }
  const startResponse = staff.send(body.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body.payload),
  })
  const ms = drawBetween(random, 0, 1200)
  await wait(ms)
  await portal.kill()
  const location = (await startResponse)?.headers.get('location') ?? null
  await portal.start()
  const outcome = location === null ? 'cut' : String(await waitForOutcome(staff, location))
  result.outcomes[`${requestKind} ${outcome}`] = (result.outcomes[`${requestKind} ${outcome}`] ?? 0) + 1
  report(`${round} ${requestKind} killed after ${ms} ms: ${outcome}`)
  await waitUntilQuiet(staff, reportFault)
  restoreArchive()

  if (![requestKind === 'flipped' ? '409' : '200', 'cut'].includes(outcome))
    reportFault(`the operation ended as ${outcome}`)
  const items = readItems(host, code, id)
  const hasItemsOf = (round: number) => JSON.stringify(items) === JSON.stringify(buildItems(round))
  const roundAfter = roundsByBackup.get(backupId) ?? -1
  const expectedRounds =
    requestKind === 'restore' ? (outcome === '200' ? [roundAfter] : [roundBefore, roundAfter]) : [roundBefore]
  const actualRound = expectedRounds.find(hasItemsOf)
  if (actualRound === undefined) reportFault(`${items.length} items belong to no round: ${items[0]}`)
  await compareBucket(campaign, requestKind === 'backup' ? round : null, reportFault)
  return actualRound ?? roundBefore
}

/** Flips a random bit of the archive. Returns a function that restores it. */
function flip({ bucket }: BackupCampaign, backupId: number, random: Random): () => void {
  const path = join(bucket, listArchives(bucket).find((name) => name.endsWith(`Z-${backupId}.age`)) ?? '')
  const archive = readFileSync(path)
  const damagedArchive = Buffer.from(archive)
  const offset = drawBetween(random, 0, archive.length - 1)
  damagedArchive[offset] = (damagedArchive[offset] ?? 0) ^ (1 << drawBetween(random, 0, 7))
  writeFileSync(path, damagedArchive)
  return () => writeFileSync(path, archive)
}

const listArchives = (bucket: string): string[] => {
  try {
    return readdirSync(bucket, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.age'))
  } catch {
    return []
  }
}

async function readBackupRows({ staff, id }: BackupCampaign): Promise<StoredBackupRow[]> {
  const rows: StoredBackupRow[] = []
  for (let page = 1; ; page++) {
    const query = `serviceId=${id}&pdb_type=pdb2s3&results=50&page=${page}&sortField=id&sortOrder=asc`
    const response = await staff.send(`/api/pdb/backup?${query}`)
    const { data = [] } = ((await response?.json()) ?? {}) as { data?: StoredBackupRow[] }
    rows.push(...data)
    if (data.length < 50) return rows
  }
}

/** Compares the backup rows with the archives in the bucket. `round` is the number of the round whose data a new backup contains. */
async function compareBucket(
  campaign: BackupCampaign,
  round: number | null,
  reportFault: (text: string) => void,
): Promise<void> {
  const { bucket, roundsByBackup } = campaign
  // After a restart, backups continue if they are scheduled or their status was not reported yet. This waits for their end.
  const rows = await waitForEnd(campaign)
  const names = listArchives(bucket)
  for (const { id, state, bytes } of rows) {
    const ownArchives = names.filter((name) => name.endsWith(`Z-${id}.age`))
    if (state !== 'done') {
      if (ownArchives.length > 0) reportFault(`backup ${id} is ${state}, but its archive exists`)
      if (state !== 'removed') reportFault(`backup ${id} is ${state}`)
      continue
    }
    const [name] = ownArchives
    if (ownArchives.length !== 1 || name === undefined)
      reportFault(`backup ${id} is done and has ${ownArchives.length} archives`)
    else if (statSync(join(bucket, name)).size !== bytes) reportFault(`backup ${id} has the wrong size`)
    if (!roundsByBackup.has(id) && round !== null) roundsByBackup.set(id, round)
  }
  const knownIds = new Set(rows.map(({ id }) => String(id)))
  for (const name of names)
    if (!knownIds.has(/Z-(\d+)\.age$/.exec(name)?.[1] ?? '')) reportFault(`${name} exists, but no row refers to it`)
}

async function waitForEnd(campaign: BackupCampaign): Promise<StoredBackupRow[]> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const rows = await readBackupRows(campaign)
    if (rows.every(({ state }) => state !== 'running') || Date.now() > deadline) return rows
    await wait(200)
  }
}

/**
 * Maximum difference in bytes. A repeated archive differs slightly in size, and the bytes that the first attempt moved are still counted.
 */
const maxDifference = 100

/** Checks that the traffic of each backup is counted once, even if it was restarted. */
async function compareTraffic({ portal: { dataDir }, result: { reportFault } }: BackupCampaign): Promise<void> {
  const database = await openDatabase(readConfig({ DATA_DIR: dataDir }), pino({ level: 'silent' }))
  try {
    const { backups, movedRows } = await database.kysely.transaction().execute(async (db) => {
      await sql`set local role portal_system`.execute(db)
      return {
        backups: await db.selectFrom('backup').selectAll().where('pdb_type', '=', 'pdb2s3').execute(),
        movedRows: await db.selectFrom('traffic_moved').selectAll().execute(),
      }
    })
    const bytesByRun = new Map<string, number>()
    for (const { run: name, bytes } of movedRows) bytesByRun.set(name, (bytesByRun.get(name) ?? 0) + bytes)
    for (const { id, state, bytes } of backups) {
      const countedBytes = bytesByRun.get(`backup-${id}`) ?? 0
      const ownBytes = bytes ?? 0
      if (state === 'done' && (countedBytes < ownBytes || countedBytes > ownBytes + maxDifference))
        reportFault.push(`backup ${id} has ${bytes} bytes, but ${countedBytes} were counted`)
    }
    const maxBytes = Math.max(...backups.map(({ bytes }) => bytes ?? 0))
    for (const [name, bytes] of bytesByRun)
      if (bytes > maxBytes + maxDifference)
        reportFault.push(`the ${bytes} bytes of ${name} were counted more than once`)
  } finally {
    await database.close()
  }
}
