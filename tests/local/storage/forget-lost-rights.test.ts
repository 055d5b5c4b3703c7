import { describe, expect, it } from 'vitest'
import type { UserRow } from '#contract/users.ts'
import { storeChanges } from '#local/lists/response-store.ts'
import { forgetLostRights } from '#local/storage/forget-lost-rights.ts'
import { aUser, company, keptDevice, list } from '#tests/support/device/device-database.ts'

async function deviceWithUsers() {
  const { db, device, generation } = await keptDevice()
  const read = (upto: number) =>
    storeChanges(
      db,
      list,
      company,
      { changed: [aUser(1), aUser(2)], gone: [], upto, asOf: upto * 100 },
      { all: true, generation },
    )
  await read(1)
  const all = { ...aUser(1), company_code: 'm18', admin: true, order: true, access_level: 100 as const }
  const change = (before: Partial<UserRow>, now: Partial<UserRow>, version: number) =>
    forgetLostRights({ ...all, ...before, id: 1 }, { ...all, ...now, id: 1, row_version: version }, device)
  return { db, read, change, users: () => db.table('users').count() }
}

describe('cached lists', () => {
  it.each([{ admin: false }, { order: false }, { access_level: 3 } as const])(
    'fault 30g go with a lost right: %j',
    async (now) => {
      const { change, users } = await deviceWithUsers()
      await change({}, now, 2)
      expect(await users()).toBe(0)
    },
  )

  it('fault 30g stay with a right that is given', async () => {
    const { change, users } = await deviceWithUsers()
    await change({ admin: false }, {}, 2)
    expect(await users()).toBe(2)
  })

  it('fault 30g go once for several pages, and again when the right is lost again', async () => {
    const { change, read, users } = await deviceWithUsers()
    await change({}, { order: false }, 2)
    await read(2)
    await change({}, { order: false }, 2)
    expect(await users()).toBe(2)
    await change({}, { order: false }, 4)
    expect(await users()).toBe(0)
  })

  it('fault 30g of a kept audit trail go with the right to read it, and stay with another', async () => {
    const { change, db } = await deviceWithUsers()
    const kept = { companyId: 7, zone: 'UTC' }
    await db.table('keptTrails').put(kept)
    await change({}, { order: false }, 2)
    expect(await db.keptTrails.count()).toBe(1)
    await change({}, { admin: false, access_level: 0 }, 3)
    expect(await db.keptTrails.count()).toBe(0)
  })
})
