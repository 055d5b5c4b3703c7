/** A device that only opened the trail page has its newest checkpoint, and finds out whatever was done to the log since. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Handle } from '#server/db/handle.ts'
import { checkWholeLogs } from '#server/use-cases/audit/check-whole-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { count, keeper, signedInBehind } from '#tests/support/audit-trail/kept-trail.ts'
import { checkpointOf, companyId, forged, house, leaves, setUpLog } from '#tests/support/audit-trail/watched-log.ts'

setUpLog()
// The server's process remembers what it has found until all of the log is in order again.
beforeEach(() => checkWholeLogs(house.server.app))

async function openedPage(): Promise<Awaited<ReturnType<typeof signedInBehind>>> {
  const liar = await signedInBehind(house, 'admin@alpha')
  await keeper(liar.tablet).check(companyId)
  return liar
}
const alarmOf = async (tablet: Tablet) => (await checkpointOf(tablet))?.alarm
const superuser = (work: (db: Handle) => Promise<unknown>) =>
  pastPolicies(house.server.app.database, async (db) => void (await work(db)))

describe('a device that opened the trail page', () => {
  it('fault 13c has the newest checkpoint without having saved anything, and takes each that goes on from it', async () => {
    const { tablet } = await openedPage()
    const { size = 0, alarm } = (await checkpointOf(tablet)) ?? {}
    expect([size >= count, alarm]).toEqual([true, null])
    await integrate(house.server.app)
    await keeper(tablet).check(companyId)
    expect(await checkpointOf(tablet)).toMatchObject({ alarm: null })
  })

  it('fault 13c says nothing without a connection, and checks when it is back', async () => {
    const liar = await openedPage()
    const lie = forged((await leaves()).slice(0, 500))
    liar.between = lie.between
    liar.tablet.line.state = 'down'
    await keeper(liar.tablet).check(companyId)
    expect(await alarmOf(liar.tablet)).toBeNull()
    liar.tablet.line.state = 'up'
    await keeper(liar.tablet).check(companyId)
    expect(await alarmOf(liar.tablet)).toMatchObject({ fault: 'LOG_SHRANK', from: 500 })
  })

  it.each(['cut', 'rewritten', 'swapped', 'inserted', 'of another key', 'empty'])(
    'fault 13c finds a log that is %s and signed anew',
    async (edit) => {
      const liar = await openedPage()
      const all = await leaves()
      const lies = {
        cut: () => forged(all.slice(0, 590)),
        rewritten: () => forged([...all.with(3, all[3]?.replace('Person', 'Nobody') ?? ''), ...all.slice(0, 5)]),
        swapped: () => forged(all.with(3, all[4] ?? '').with(4, all[3] ?? '')),
        inserted: () => forged(all.toSpliced(3, 0, all[7] ?? '')),
        'of another key': () => forged(all, { seed: new Uint8Array(32).fill(9) }),
        empty: () => forged([]),
      }
      liar.between = lies[edit as keyof typeof lies]().between
      await keeper(liar.tablet).check(companyId)
      expect(await alarmOf(liar.tablet)).toMatchObject({ fault: expect.any(String) })
    },
  )

  it('fault 13c still knows it after its user has signed out and in again', async () => {
    const liar = await openedPage()
    const before = await checkpointOf(liar.tablet)
    await liar.tablet.signOut()
    const { comeIn } = await import('#tests/support/device/app.ts')
    await comeIn(liar.tablet, 'admin@alpha')
    expect(await checkpointOf(liar.tablet)).toEqual(before)
    liar.between = forged((await leaves()).slice(0, 590)).between
    await keeper(liar.tablet).check(companyId)
    expect(await alarmOf(liar.tablet)).toMatchObject({ fault: 'LOG_SHRANK', from: 590 })
  })

  const place = (at: number) =>
    sql`(select entry_id from audit_leaf where company_id = ${companyId} and log_index = ${at})`
  it.each([
    ['an entry deleted', () => sql`delete from audit_entry where id = ${place(7)}`, 7],
    [
      'what was done changed',
      () => sql`update audit_entry set leaf = replace(leaf, 'Person 3', 'Person 4') where id = ${place(3)}`,
      3,
    ],
    ['who did it changed', () => sql`update audit_entry set exec_user_name = 'Eve' where id = ${place(500)}`, 500],
    [
      'when it was done changed',
      () => sql`update audit_entry set end_time = end_time + 1 where id = ${place(400)}`,
      400,
    ],
    ['the checkpoints removed', () => sql`delete from audit_checkpoint where company_id = ${companyId}`, 0],
  ])(
    'fault 13e hears of %s, which changes no hash, from the server that checks when it is asked',
    async (_, edit, from) => {
      const { tablet } = await openedPage()
      await superuser((db) => edit().execute(db))
      await keeper(tablet).check(companyId)
      expect(await alarmOf(tablet)).toMatchObject({ from })
    },
  )
})
