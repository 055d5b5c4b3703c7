/** Tests what happens to a stored trail when its user's session ends (decision 83). */
import { beforeEach, describe, expect, it } from 'vitest'
import { endSession } from '#local/session/session.ts'
import { signInAs } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import {
  entryCount,
  storeTrail,
  createStoredTrailActions,
  signInIntercepted,
} from '#tests/support/audit-trail/stored-trail.ts'
import { companyId, installation, setUpLog } from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

const userName = 'admin@alpha'
const days = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

let tablet: Tablet
beforeEach(async () => {
  ;({ tablet } = await signInIntercepted(installation, userName))
  expect(await storeTrail(tablet, days)).toEqual({ kind: 'done' })
})

async function openOwnDatabase() {
  const session = await tablet.session()
  return tablet.device.getDatabase(session ?? { companyId, userId: installation.server.world.users[userName] ?? 0 })
}
const readStoredTrail = async () => {
  const db = await openOwnDatabase()
  const [trails, tileCount, sealedCount] = await Promise.all([
    db.storedTrails.toArray(),
    db.storedTiles.count(),
    db.sealedCache.count(),
  ])
  return { days: trails.map(({ dateFrom, dateTo }) => ({ dateFrom, dateTo })), tileCount, sealedCount }
}
const countRequests = (path: string) =>
  tablet.connection.log.filter(({ request }) => request.path.startsWith(path)).length

describe('a stored trail', () => {
  it('stays sealed when its session expires, and is proven after the next login without a new download (fault 43g)', async () => {
    const previousTrail = await readStoredTrail()
    const session = await tablet.session()
    await endSession(tablet.device, session?.generation ?? 0, { isExpired: true })
    expect(await readStoredTrail()).toMatchObject({ days: [], tileCount: 0 })
    expect((await readStoredTrail()).sealedCount).toBeGreaterThan(0)
    await signInAs(tablet, userName)
    expect(await readStoredTrail()).toEqual(previousTrail)
    const streamCount = countRequests('/api/systrail/export')
    await createStoredTrailActions(tablet).update()
    expect(countRequests('/api/systrail/export')).toBe(streamCount)
    expect(await createStoredTrailActions(tablet).proveAll(companyId)).toMatchObject({
      kind: 'proven',
      entries: entryCount,
    })
  })

  it('is deleted at a logout, and is stored again after the next login (fault 43h)', async () => {
    await tablet.signOut()
    expect(await readStoredTrail()).toEqual({ days: [], tileCount: 0, sealedCount: 0 })
    await signInAs(tablet, userName)
    await createStoredTrailActions(tablet).update()
    expect((await readStoredTrail()).days).toEqual([days])
    expect(await createStoredTrailActions(tablet).proveAll(companyId)).toMatchObject({
      kind: 'proven',
      entries: entryCount,
    })
    await createStoredTrailActions(tablet).remove(companyId)
    await tablet.signOut()
    await signInAs(tablet, userName)
    await createStoredTrailActions(tablet).update()
    expect((await readStoredTrail()).days).toEqual([])
  })

  it('is deleted when another user logs in, and is stored again for its owner (fault 43i)', async () => {
    const session = await tablet.session()
    await endSession(tablet.device, session?.generation ?? 0, { isExpired: true })
    await signInAs(tablet, 'order@alpha')
    const db = tablet.device.getDatabase({ companyId, userId: session?.userId ?? 0 })
    expect([await db.storedTrails.count(), await db.sealedCache.count()]).toEqual([0, 0])
    await tablet.signOut()
    await signInAs(tablet, userName)
    await createStoredTrailActions(tablet).update()
    expect((await readStoredTrail()).days).toEqual([days])
  })
})
