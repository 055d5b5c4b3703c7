/** Inserts minimal companies and users for tests of the database and of writes. */
import type { Caller } from '#domain/access.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { insertCompany } from '#server/db/accounts/companies.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertUser, type NewUser } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'

export const system = { role: 'portal_system' } as const

export const addCompany = (app: AppContext, code: string): Promise<number> =>
  runInTransaction(app, system, (db) =>
    insertCompany(db, { code, name: `${code} Limited`, create_time: 1, update_time: 1 }),
  )

export const addUser = (
  app: AppContext,
  companyId: number,
  user: Partial<NewUser> & { email: string },
): Promise<number> =>
  runInTransaction(app, system, async (db) =>
    insertUser(db, {
      title: 0,
      name: user.email.replace(/@.*/, ''),
      password_hash: null,
      admin: false,
      orders: false,
      alert: false,
      status: 1,
      avatar: null,
      language: 'en',
      access_level: 0,
      seal_key: 'k',
      create_time: 1,
      update_time: 1,
      ...user,
      company_id: companyId,
      change: await takeChangeNumber(db, companyId),
    }),
  )

export async function addAdmin(app: AppContext, code: string): Promise<Caller> {
  const companyId = await addCompany(app, code)
  const userId = await addUser(app, companyId, { email: `admin@${code}.example`, admin: true })
  return { userId, companyId, companyCode: code, admin: true, order: false, accessLevel: 0 }
}
