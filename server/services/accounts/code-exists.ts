/** Whether something exists: one bit, for the pairs that may be asked, about the own company unless a code is everybody's. */
import { type Caller } from '#domain/access.ts'
import type { orderExists, userExists } from '#contract/accounts.ts'
import { companyByCode } from '#server/db/accounts/companies.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { isCodeTaken as isServiceCodeTaken } from '#server/db/orders/service-codes.ts'
import { userByEmail } from '#server/db/accounts/users.ts'
import type { AppContext, Service } from '#server/context.ts'
import { invalid } from '#server/problem-error.ts'
import { momentOf } from '#server/services/orders/business-time.ts'
import { serviceCodeOf } from '#server/services/orders/order-terms.ts'

/** Codes that are unique over all companies; `company` may be asked by anybody (D57). */
export const openCodes: readonly string[] = ['company']

export async function isCodeTaken(app: AppContext, resource: string, code: string): Promise<boolean> {
  if (resource !== 'company') throw invalid([{ field: 'resource', code: 'OUT_OF_RANGE' }])
  return inTransaction(app, { role: 'portal_system' }, async (db) => (await companyByCode(db, code)) !== null)
}

/** `company`: code or id. About another company the answer is always no (N-07). */
export const userWithEmail: Service<typeof userExists> = async ({ db, caller }, { query }) => {
  if (query.company !== undefined && !isOwn(caller, query.company)) return { body: false }
  return { body: (await userByEmail(db, caller.companyId, query.code)) !== null }
}

const isOwn = (caller: Caller, company: string) =>
  company.toLowerCase() === caller.companyCode || company === String(caller.companyId)

/** Over all companies, because the code becomes a host name (D37): that it is taken is all that is said. */
export const orderWithCode: Service<typeof orderExists> = async (context, { query }) => ({
  body: await isServiceCodeTaken(context.db, serviceCodeOf(query.code), momentOf(context)),
})
