import { describe, expect, it } from 'vitest'
import type { UserRow } from '#contract/users.ts'
import { storeChanges } from '#local/lists/response-store.ts'
import { forgetLostRights } from '#local/storage/forget-lost-rights.ts'
import { storedTrailTables } from '#local/storage/database.ts'
import { buildUser, companyId, openTestDevice, userList } from '#tests/support/device/device-database.ts'

async function openDeviceWithUsers() {
  const { db, device, generation } = await openTestDevice()
  const storeUsers = (changeNumber: number) =>
    storeChanges(
      db,
      userList,
      companyId,
      { changed: [buildUser(1), buildUser(2)], deletedIds: [], changeNumber, asOf: changeNumber * 100 },
      { isComplete: true, generation },
    )
  await storeUsers(1)
  const fullRights = { ...buildUser(1), company_code: 'm18', admin: true, order: true, access_level: 100 as const }
  const changeRights = (previousRights: Partial<UserRow>, currentRights: Partial<UserRow>, rowVersion: number) =>
    forgetLostRights(
      { ...fullRights, ...previousRights, id: 1 },
      { ...fullRights, ...currentRights, id: 1, row_version: rowVersion },
      device,
    )
  return { db, storeUsers, changeRights, countUsers: () => db.table('users').count() }
}

describe('cached lists', () => {
  it.each([{ admin: false }, { order: false }, { access_level: 3 } as const])(
    'are deleted if their user loses a right: %j (fault 30g)',
    async (currentRights) => {
      const { changeRights, countUsers } = await openDeviceWithUsers()
      await changeRights({}, currentRights, 2)
      expect(await countUsers()).toBe(0)
    },
  )

  it('stay if their user gets a right (fault 30g)', async () => {
    const { changeRights, countUsers } = await openDeviceWithUsers()
    await changeRights({ admin: false }, {}, 2)
    expect(await countUsers()).toBe(2)
  })

  it('are deleted once if several pages report the lost right, and again if it is lost again (fault 30g)', async () => {
    const { changeRights, storeUsers, countUsers } = await openDeviceWithUsers()
    await changeRights({}, { order: false }, 2)
    await storeUsers(2)
    await changeRights({}, { order: false }, 2)
    expect(await countUsers()).toBe(2)
    await changeRights({}, { order: false }, 4)
    expect(await countUsers()).toBe(0)
  })

  it('A stored trail is deleted only if the right to read it is lost (fault 30g)', async () => {
    const { changeRights, db } = await openDeviceWithUsers()
    const storedTrail = { companyId: 7, zone: 'UTC' }
    await db.table(storedTrailTables[0]).put(storedTrail)
    await changeRights({}, { order: false }, 2)
    expect(await db.storedTrails.count()).toBe(1)
    await changeRights({}, { admin: false, access_level: 0 }, 3)
    expect(await db.storedTrails.count()).toBe(0)
  })
})
