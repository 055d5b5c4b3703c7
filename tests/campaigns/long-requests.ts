/** Opens a portal on which a long request takes as long as needed: it verifies a trail, with pauses between its steps. */
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { createCommandContext } from '#server/cli/with-app.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

/** Number of entries of each of the three companies. With steps of 500 entries, a verification has nine pauses. */
const entries = 1_400

export async function openPortalWithTrail(restMs: number): Promise<Portal> {
  const portal = await startPortal({
    JOB_REST_MS: String(restMs),
    ACCESS_SECONDS: '3600',
    REFRESH_IDLE_SECONDS: '3600',
  })
  await fillTrail(portal, entries)
  return portal
}

/** Adds `count` entries, one per millisecond, to the trail of each company. The server is stopped meanwhile. */
export async function fillTrail(portal: Portal, count: number): Promise<void> {
  await portal.stop()
  const config = readPortalConfig(portal)
  const database = await openDatabase(config, log)
  const app = createCommandContext({
    config,
    database,
    log,
    files: openTestFiles(config),
    checkpointStore: noCheckpointStore,
  })
  const { rows } = await runInTransaction(app, { role: 'portal_system' }, (db) =>
    sql<{ id: number }>`select id from company`.execute(db),
  )
  for (const { id } of rows) await writeGeneratedEntries(app, { companyId: id, count, startAt: 1, intervalMs: 1 })
  await database.close()
  await portal.start()
}

const log = pino({ level: 'silent' })
const readPortalConfig = ({ dataDir }: Portal) => readConfig({ DATA_DIR: dataDir })

export async function createVerifyClient(portal: Portal) {
  const { send } = await createOutsideClient(portal)
  return {
    startVerification: (key: string) =>
      send('/api/systrail/verify', {
        method: 'POST',
        headers: { 'idempotency-key': key, 'content-type': 'application/json' },
        body: '{"companyId":null}',
      }),
    readStatus: (location: string) => send(location),
  }
}

/** Reads all verification jobs from the stopped server's database. */
export async function readJobs(portal: Portal) {
  const database = await openDatabase(readPortalConfig(portal), log)
  const jobs = await database.kysely
    .selectFrom('job')
    .select(['intent', 'state'])
    .where('kind', '=', 'verify-trail')
    .execute()
  await database.close()
  return jobs
}

/** Polls until the condition is true. Returns false after the timeout. */
export async function waitUntil(isDone: () => boolean | Promise<boolean>, ms: number, everyMs = 25): Promise<boolean> {
  const deadline = performance.now() + ms
  while (performance.now() < deadline) {
    if (await isDone()) return true
    await wait(everyMs)
  }
  return false
}
