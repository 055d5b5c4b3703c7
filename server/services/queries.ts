/** Whether something exists: one bit, for the pairs that may be asked, about the own company unless a code is everybody's. */
import { type Caller } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import { userStatus } from '#domain/users.ts'
import type { fieldExists, orderExists, userExists } from '#contract/accounts.ts'
import { companyByCode } from '#server/db/companies.ts'
import { inScope } from '#server/db/scope.ts'
import { userByEmail } from '#server/db/users.ts'
import type { Handle, House, Service } from '#server/house.ts'
import { invalid } from '#server/problem.ts'

/** Codes that are unique over all companies; `company` may be asked by anybody (D57). */
export const openCodes: readonly string[] = ['company']

export async function isCodeTaken(house: House, resource: string, code: string): Promise<boolean> {
  if (resource !== 'company') throw invalid([{ field: 'resource', code: 'OUT_OF_RANGE' }])
  return inScope(house, { role: 'portal_system' }, async (db) => (await companyByCode(db, code)) !== null)
}

/** `company`: code or id. About another company the answer is always no (N-07). */
export const userWithEmail: Service<typeof userExists> = async ({ db, caller }, { query }) => {
  if (query.company !== undefined && !isOwn(caller, query.company)) return { body: false }
  return { body: (await userByEmail(db, caller.companyId, query.code)) !== null }
}

const isOwn = (caller: Caller, company: string) =>
  company.toLowerCase() === caller.companyCode || company === String(caller.companyId)

/** Nobody has ordered anything yet: there is no table of orders to look in. */
export const orderWithCode: Service<typeof orderExists> = async () => ({ body: false })

type Look = (db: Handle, companyId: number, value: string) => Promise<boolean>

/** The pairs that may be asked (F-14). No pair takes conditions. */
const fields: Record<string, Look> = {
  'user.email': async (db, companyId, value) => (await userByEmail(db, companyId, value)) !== null,
  'user.name': async (db, companyId, value) => {
    const row = await db
      .selectFrom('portal_user')
      .select('id')
      .where('company_id', '=', companyId)
      .where('name_key', '=', foldText(value))
      .where('status', '!=', userStatus.deleted)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  },
}

export const fieldWithValue: Service<typeof fieldExists> = async ({ db, caller }, { query }) => {
  const name = `${query.resource}.${query.field}`
  const look = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!look) throw invalid([{ field: 'field', code: 'OUT_OF_RANGE' }])
  if (query.conds !== undefined) throw invalid([{ field: 'conds', code: 'OUT_OF_RANGE' }])
  return { body: await look(db, caller.companyId, query.value) }
}
