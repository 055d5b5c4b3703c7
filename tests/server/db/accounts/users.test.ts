import { NoResultError } from 'kysely'
import { expect, it } from 'vitest'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { updateUser, lockUser, type UserRecord } from '#server/db/accounts/users.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin } from '#tests/support/server/people.ts'

onBothEngines('updateUser', (app) => {
  async function withLockedUser<T>(callback: (db: DatabaseHandle, user: UserRecord) => Promise<T>): Promise<T> {
    const { companyId, userId } = await addAdmin(app, 'acme')
    return runInTransaction(app, { role: 'portal_app', companyId }, async (db) => {
      const user = await lockUser(db, companyId, userId)
      if (!user) throw new Error('the admin is not there')
      return callback(db, user)
    })
  }

  it('returns the user as stored after the update', async () => {
    const { updatedUser, storedUser } = await withLockedUser(async (db, user) => {
      const updatedUser = await updateUser(db, user, { name: 'Ängström', alert: !user.alert, update_time: 9 })
      return { updatedUser, storedUser: await lockUser(db, user.company_id, user.id) }
    })
    expect(updatedUser.row_version).toBe(2)
    const { change: _, ...stored } = storedUser as UserRecord & { change: number }
    expect(updatedUser).toMatchObject(stored)
  })

  it('fails if the row version differs from that of the locked row', async () => {
    const update = withLockedUser((db, user) => updateUser(db, { ...user, row_version: 7 }, { alert: true }))
    await expect(update).rejects.toThrow(NoResultError)
  })

  it('rejects an e-mail that is already in use', async () => {
    const update = withLockedUser(async (db, user) => {
      const otherUser = { ...user, email: 'other@acme.example', email_key: 'other@acme.example' }
      const { id: _, company_name: _name, company_code: _code, ...newUser } = otherUser
      await db
        .insertInto('portal_user')
        .values({ ...newUser, change: 1 })
        .execute()
      return updateUser(db, user, { email: 'Other@acme.example' })
    })
    await expect(update).rejects.toMatchObject({ code: 'DUP_USER' })
  })
})
