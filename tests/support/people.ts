/** Companies and users for tests of the database and of writes: the least there can be. */
import type { Caller } from '#domain/access.ts'
import { takeChange } from '#server/db/changes.ts'
import { insertCompany } from '#server/db/companies.ts'
import { inScope } from '#server/db/scope.ts'
import { insertUser, type NewUser } from '#server/db/users.ts'
import type { House } from '#server/house.ts'

export const system = { role: 'portal_system' } as const

export const addCompany = (house: House, code: string): Promise<number> =>
  inScope(house, system, (db) => insertCompany(db, { code, name: `${code} Limited`, create_time: 1, update_time: 1 }))

export const addUser = (house: House, companyId: number, user: Partial<NewUser> & { email: string }): Promise<number> =>
  inScope(house, system, async (db) =>
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
      change: await takeChange(db, companyId),
    }),
  )

/** A company with its admin, as the caller of a write. */
export async function addAdmin(house: House, code: string): Promise<Caller> {
  const companyId = await addCompany(house, code)
  const userId = await addUser(house, companyId, { email: `admin@${code}.example`, admin: true })
  return { userId, companyId, companyCode: code, admin: true, order: false, accessLevel: 0 }
}
