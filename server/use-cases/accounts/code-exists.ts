/** Whether something exists: one bit, for the pairs that may be asked, about the own company unless a code is everybody's. */
import { type Caller, may, type Who } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import type { Handle } from '#server/db/handle.ts'
import type { orderExists, userExists } from '#contract/accounts.ts'
import { companyByCode } from '#server/db/accounts/companies.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { isCodeTaken as isServiceCodeTaken } from '#server/db/orders/service-codes.ts'
import { userByEmail } from '#server/db/accounts/users.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { forbidden, invalid } from '#server/problems/problem-error.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { serviceCodeOf } from '#server/use-cases/orders/order-terms.ts'

/** Codes that anybody may ask for (D57). */
export const openCodes: readonly string[] = ['company']

type Look = (db: Handle, code: string, app: AppContext) => Promise<boolean>

const moduleWithCode =
  (hidden: boolean): Look =>
  async (db, code) =>
    (await db
      .selectFrom('module')
      .select('id')
      .where('code_key', '=', foldText(code))
      .where('hidden', '=', hidden)
      .where('deleted', '=', false)
      .limit(1)
      .executeTakeFirst()) !== undefined

/** The catalogue's codes are the provider staff's to ask. */
const resources: Record<string, { who: Who; look: Look }> = {
  company: { who: 'anybody', look: async (db, code) => (await companyByCode(db, code)) !== null },
  order: {
    who: 'user',
    look: (db, code, app) => isServiceCodeTaken(db, serviceCodeOf(code), momentOf({ app, now: app.clock() })),
  },
  module: { who: 'providerAdmin', look: moduleWithCode(false) },
  automodule: { who: 'providerAdmin', look: moduleWithCode(true) },
}

/** Throws VALIDATION_ERROR for another resource, FORBIDDEN for one that is not the caller's to ask. */
export async function isCodeTaken(
  app: AppContext,
  caller: Caller | null,
  { resource, code }: { resource: string; code: string },
): Promise<boolean> {
  const asked = Object.hasOwn(resources, resource) ? resources[resource] : undefined
  if (!asked) throw invalid([{ field: 'resource', code: 'OUT_OF_RANGE' }])
  if (!may(asked.who, caller)) throw forbidden()
  return inTransaction(app, { role: 'portal_system' }, (db) => asked.look(db, code, app))
}

/** `company`: code or id. About another company the answer is always no (N-07). */
export const userWithEmail: UseCase<typeof userExists> = async ({ db, caller }, { query }) => {
  if (query.company !== undefined && !isOwn(caller, query.company)) return { body: false }
  return { body: (await userByEmail(db, caller.companyId, query.code)) !== null }
}

const isOwn = (caller: Caller, company: string) =>
  company.toLowerCase() === caller.companyCode || company === String(caller.companyId)

/** Over all companies, because the code becomes a host name (D37): that it is taken is all that is said. */
export const orderWithCode: UseCase<typeof orderExists> = async (context, { query }) => ({
  body: await isServiceCodeTaken(context.db, serviceCodeOf(query.code), momentOf(context)),
})
