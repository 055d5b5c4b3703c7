import { NoResultError } from 'kysely'
import { expect, it } from 'vitest'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { updateUser, userForUpdate, type UserRecord } from '#server/db/accounts/users.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin } from '#tests/support/server/people.ts'

onBothEngines('a user whose row is written', (the) => {
  async function locked<T>(work: (db: Handle, before: UserRecord) => Promise<T>): Promise<T> {
    const { companyId, userId } = await addAdmin(the, 'acme')
    return inTransaction(the, { role: 'portal_app', companyId }, async (db) => {
      const before = await userForUpdate(db, companyId, userId)
      if (!before) throw new Error('the admin is not there')
      return work(db, before)
    })
  }

  it('is answered as it then stands', async () => {
    const { answered, read } = await locked(async (db, before) => {
      const answered = await updateUser(db, before, { name: 'Ängström', alert: !before.alert, update_time: 9 })
      return { answered, read: await userForUpdate(db, before.company_id, before.id) }
    })
    expect(answered.row_version).toBe(2)
    const { change: _, ...stored } = read as UserRecord & { change: number }
    expect(answered).toMatchObject(stored)
  })

  it('fails with its transaction where the row is not the one that was locked', async () => {
    const work = locked((db, before) => updateUser(db, { ...before, row_version: 7 }, { alert: true }))
    await expect(work).rejects.toThrow(NoResultError)
  })

  it('is refused where its e-mail is taken', async () => {
    const work = locked(async (db, before) => {
      const other = { ...before, email: 'other@acme.example', email_key: 'other@acme.example' }
      const { id: _, company_name: _name, company_code: _code, ...fresh } = other
      await db
        .insertInto('portal_user')
        .values({ ...fresh, change: 1 })
        .execute()
      return updateUser(db, before, { email: 'Other@acme.example' })
    })
    await expect(work).rejects.toMatchObject({ code: 'DUP_USER' })
  })
})
