/** Tests a device that only opened the trail page: it has the latest checkpoint, and detects every later change to the log. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DatabaseHandle } from '#server/db/database.ts'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { entryCount, createStoredTrailActions, signInIntercepted } from '#tests/support/audit-trail/stored-trail.ts'
import {
  readCheckpoint,
  companyId,
  forgeLog,
  installation,
  readLeaves,
  setUpLog,
} from '#tests/support/audit-trail/watched-log.ts'

setUpLog()
// The server process remembers its findings until a check finds the log valid. So the log is checked before each test.
beforeEach(() => checkCompleteLogs(installation.server.app))

async function openTrailPage(): Promise<Awaited<ReturnType<typeof signInIntercepted>>> {
  const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
  await createStoredTrailActions(interceptedTablet.tablet).check(companyId)
  return interceptedTablet
}
const readAlarm = async (tablet: Tablet) => (await readCheckpoint(tablet))?.alarm
const runAsSuperuser = (action: (db: DatabaseHandle) => Promise<unknown>) =>
  bypassPolicies(installation.server.app.database, async (db) => void (await action(db)))

describe('a device that opened the trail page', () => {
  it('stores the latest checkpoint without a saved range, and accepts each that continues it (fault 13c)', async () => {
    const { tablet } = await openTrailPage()
    const { size = 0, alarm } = (await readCheckpoint(tablet)) ?? {}
    expect([size >= entryCount, alarm]).toEqual([true, null])
    await integrate(installation.server.app)
    await createStoredTrailActions(tablet).check(companyId)
    expect(await readCheckpoint(tablet)).toMatchObject({ alarm: null })
  })

  it('reports nothing without a connection, and checks the log when the connection is back (fault 13c)', async () => {
    const interceptedTablet = await openTrailPage()
    const forgedLog = forgeLog((await readLeaves()).slice(0, 500))
    interceptedTablet.intercept = forgedLog.intercept
    interceptedTablet.tablet.connection.state = 'down'
    await createStoredTrailActions(interceptedTablet.tablet).check(companyId)
    expect(await readAlarm(interceptedTablet.tablet)).toBeNull()
    interceptedTablet.tablet.connection.state = 'up'
    await createStoredTrailActions(interceptedTablet.tablet).check(companyId)
    expect(await readAlarm(interceptedTablet.tablet)).toMatchObject({ fault: 'LOG_SHRANK', from: 500 })
  })

  it.each(['cut', 'rewritten', 'swapped', 'inserted', 'of another key', 'empty'])(
    'detects a forged log that is signed again: %s (fault 13c)',
    async (edit) => {
      const interceptedTablet = await openTrailPage()
      const leaves = await readLeaves()
      const forgeries = {
        cut: () => forgeLog(leaves.slice(0, 590)),
        rewritten: () =>
          forgeLog([...leaves.with(3, leaves[3]?.replace('Person', 'Nobody') ?? ''), ...leaves.slice(0, 5)]),
        swapped: () => forgeLog(leaves.with(3, leaves[4] ?? '').with(4, leaves[3] ?? '')),
        inserted: () => forgeLog(leaves.toSpliced(3, 0, leaves[7] ?? '')),
        'of another key': () => forgeLog(leaves, { seed: new Uint8Array(32).fill(9) }),
        empty: () => forgeLog([]),
      }
      interceptedTablet.intercept = forgeries[edit as keyof typeof forgeries]().intercept
      await createStoredTrailActions(interceptedTablet.tablet).check(companyId)
      expect(await readAlarm(interceptedTablet.tablet)).toMatchObject({ fault: expect.any(String) })
    },
  )

  it('still has the checkpoint after its user signed out and in again (fault 13c)', async () => {
    const interceptedTablet = await openTrailPage()
    const previousCheckpoint = await readCheckpoint(interceptedTablet.tablet)
    await interceptedTablet.tablet.signOut()
    const { signInAs } = await import('#tests/support/device/app.ts')
    await signInAs(interceptedTablet.tablet, 'admin@alpha')
    expect(await readCheckpoint(interceptedTablet.tablet)).toEqual(previousCheckpoint)
    interceptedTablet.intercept = forgeLog((await readLeaves()).slice(0, 590)).intercept
    await createStoredTrailActions(interceptedTablet.tablet).check(companyId)
    expect(await readAlarm(interceptedTablet.tablet)).toMatchObject({ fault: 'LOG_SHRANK', from: 590 })
  })

  const findEntryId = (entryIndex: number) =>
    sql`(select entry_id from audit_leaf where company_id = ${companyId} and log_index = ${entryIndex})`
  it.each([
    ['a deleted entry', () => sql`delete from audit_entry where id = ${findEntryId(7)}`, 7],
    [
      'an entry with changed content',
      () => sql`update audit_entry set leaf = replace(leaf, 'Person 3', 'Person 4') where id = ${findEntryId(3)}`,
      3,
    ],
    [
      'an entry with another user',
      () => sql`update audit_entry set exec_user_name = 'Eve' where id = ${findEntryId(500)}`,
      500,
    ],
    [
      'an entry with another time',
      () => sql`update audit_entry set end_time = end_time + 1 where id = ${findEntryId(400)}`,
      400,
    ],
    ['deleted checkpoints', () => sql`delete from audit_checkpoint where company_id = ${companyId}`, 0],
  ])(
    'is informed of %s, although no hash changes, because the server checks its entries (fault 13e)',
    async (_, edit, from) => {
      const { tablet } = await openTrailPage()
      await runAsSuperuser((db) => edit().execute(db))
      await createStoredTrailActions(tablet).check(companyId)
      expect(await readAlarm(tablet)).toMatchObject({ from })
    },
  )
})
