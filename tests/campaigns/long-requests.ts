/** A portal on which a long request takes as long as a campaign wants: the walk along a trail, with rests. */
import { noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { contextOver } from '#server/cli/with-app.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { outsideClient } from '#tests/support/server/outside-client.ts'

/** Entries of each of the three companies: with steps of 500, nine rests to a walk. */
const entries = 1_400

export async function openLong(restMs: number): Promise<Portal> {
  const portal = await startPortal({
    JOB_REST_MS: String(restMs),
    ACCESS_SECONDS: '3600',
    REFRESH_IDLE_SECONDS: '3600',
  })
  await fillTrail(portal, entries)
  return portal
}

/** So many entries more in the trail of each company, each of a millisecond; the server is stopped meanwhile. */
export async function fillTrail(portal: Portal, count: number): Promise<void> {
  await portal.stop()
  const config = configOf(portal)
  const database = await openDatabase(config, log)
  const app = contextOver({ config, database, log, checkpointStore: noCheckpointStore })
  const { rows } = await inTransaction(app, { role: 'portal_system' }, (db) =>
    sql<{ id: number }>`select id from company`.execute(db),
  )
  for (const { id } of rows) await writeMany(app, { companyId: id, count, at: 1, apart: 1 })
  await database.close()
  await portal.start()
}

const log = pino({ level: 'silent' })
const configOf = ({ dataDir }: Portal) => readConfig({ DATA_DIR: dataDir })

/** Asks for the walk, and how far it is. */
export async function signedIn(portal: Portal) {
  const { send } = await outsideClient(portal)
  return {
    begin: (key: string) =>
      send('/api/systrail/verify', {
        method: 'POST',
        headers: { 'idempotency-key': key, 'content-type': 'application/json' },
        body: '{"companyId":null}',
      }),
    ask: (location: string) => send(location),
  }
}

/** Which walks there were, as the stopped server's database has it. */
export async function jobsIn(portal: Portal) {
  const database = await openDatabase(configOf(portal), log)
  const found = await database.kysely
    .selectFrom('job')
    .select(['intent', 'state'])
    .where('kind', '=', 'verify-trail')
    .execute()
  await database.close()
  return found
}

/** Looks until it is so; false when it is not by then. */
export async function until(so: () => boolean | Promise<boolean>, ms: number, everyMs = 25): Promise<boolean> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    if (await so()) return true
    await wait(everyMs)
  }
  return false
}
