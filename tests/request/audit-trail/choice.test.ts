/** What becomes of an audit trail that is kept on a device when its user's session ends (decision 83). */
import { beforeEach, describe, expect, it } from 'vitest'
import { endSession } from '#local/session/session.ts'
import { comeIn } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { count, keep, keeper, signedInBehind } from '#tests/support/audit-trail/kept-trail.ts'
import { companyId, house, setUpLog } from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

const who = 'admin@alpha'
const days = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

let tablet: Tablet
beforeEach(async () => {
  ;({ tablet } = await signedInBehind(house, who))
  expect(await keep(tablet, days)).toEqual({ kind: 'done' })
})

async function ownDatabase() {
  const session = await tablet.session()
  return tablet.device.of(session ?? { companyId, userId: house.server.world.users[who] ?? 0 })
}
const here = async () => {
  const db = await ownDatabase()
  const [trails, tiles, sealed] = await Promise.all([
    db.keptTrails.toArray(),
    db.keptTiles.count(),
    db.sealedCache.count(),
  ])
  return { days: trails.map(({ dateFrom, dateTo }) => ({ dateFrom, dateTo })), tiles, sealed }
}
const asked = (path: string) => tablet.line.log.filter(({ sent }) => sent.path.startsWith(path)).length

describe('a kept trail', () => {
  it('fault 43g stays through a session that lapses, sealed, and is proven again after the next login without being fetched', async () => {
    const before = await here()
    const session = await tablet.session()
    await endSession(tablet.device, session?.generation ?? 0, { lapsed: true })
    expect(await here()).toMatchObject({ days: [], tiles: 0 })
    expect((await here()).sealed).toBeGreaterThan(0)
    await comeIn(tablet, who)
    expect(await here()).toEqual(before)
    const streams = asked('/api/systrail/export')
    await keeper(tablet).update()
    expect(asked('/api/systrail/export')).toBe(streams)
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: count })
  })

  it('fault 43h goes with a logout, but not its choice: it is kept again after the next login', async () => {
    await tablet.signOut()
    expect(await here()).toEqual({ days: [], tiles: 0, sealed: 0 })
    await comeIn(tablet, who)
    await keeper(tablet).update()
    expect((await here()).days).toEqual([days])
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: count })
    await keeper(tablet).remove(companyId)
    await tablet.signOut()
    await comeIn(tablet, who)
    await keeper(tablet).update()
    expect((await here()).days).toEqual([])
  })

  it('fault 43i goes when somebody else logs in, and is kept again for whom it belonged to', async () => {
    const session = await tablet.session()
    await endSession(tablet.device, session?.generation ?? 0, { lapsed: true })
    await comeIn(tablet, 'order@alpha')
    const db = tablet.device.of({ companyId, userId: session?.userId ?? 0 })
    expect([await db.keptTrails.count(), await db.sealedCache.count()]).toEqual([0, 0])
    await tablet.signOut()
    await comeIn(tablet, who)
    await keeper(tablet).update()
    expect((await here()).days).toEqual([days])
  })
})
