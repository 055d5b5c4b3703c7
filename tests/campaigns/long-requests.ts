/** A portal on which a long request takes as long as a campaign wants: the walk along a trail, with rests. */
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { readConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { type Portal, startPortal } from '#tests/support/browser.ts'
import { outsideClient } from '#tests/support/outside-client.ts'

/** Entries of each of the three companies: with steps of 500, nine rests to a walk. */
const entries = 1_400

export async function openLong(restMs: number): Promise<Portal> {
  const portal = await startPortal({
    JOB_REST_MS: String(restMs),
    ACCESS_SECONDS: '3600',
    REFRESH_IDLE_SECONDS: '3600',
  })
  await portal.stop()
  const database = await databaseOf(portal)
  await database.kysely.transaction().execute(async (db) => {
    await sql`insert into trail (id, company_id, code, operation, exec_user_name, end_time, status, info, request_id, previous, hash)
      select 0, company.id, 'user', 'update', 'Somebody', at, 0, '{}', '', '', '' from company, generate_series(1, ${entries}) at
      order by company.id, at`.execute(db)
  })
  await database.close()
  await portal.start()
  return portal
}

const databaseOf = ({ dataDir }: Portal) => openDatabase(readConfig({ DATA_DIR: dataDir }), pino({ level: 'silent' }))

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

/** What was done, as the stopped server's database has it. */
export async function jobsIn(portal: Portal) {
  const database = await databaseOf(portal)
  const found = await database.kysely.selectFrom('job').select(['intent', 'state']).execute()
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
