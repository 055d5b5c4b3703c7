/** Checks whether a code is in use. Users are searched in the caller's company, other codes in all companies. */
import { type Caller, isAllowed, type AccessRule } from '#domain/access.ts'
import { normaliseText } from '#domain/text.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { orderExists, userExists } from '#contract/accounts.ts'
import { findCompanyByCode } from '#server/db/accounts/companies.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { isCodeTaken as isServiceCodeTaken } from '#server/db/orders/service-codes.ts'
import { findUserByEmail } from '#server/db/accounts/users.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { createForbiddenProblem, createValidationProblem } from '#server/problems/problem-error.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { normaliseServiceCode } from '#server/use-cases/orders/order-terms.ts'

/** Resources whose codes anonymous callers may query (D57). */
export const publicCodeResources: readonly string[] = ['company']

type CodeLookup = (db: DatabaseHandle, code: string, app: AppContext) => Promise<boolean>

const createModuleCodeLookup =
  (isHidden: boolean): CodeLookup =>
  async (db, code) =>
    (await db
      .selectFrom('module')
      .select('id')
      .where(hasValues({ code_key: normaliseText(code), hidden: isHidden, deleted: false }))
      .limit(1)
      .executeTakeFirst()) !== undefined

const codeResources: Record<string, { allowedCallers: AccessRule; lookUp: CodeLookup }> = {
  company: { allowedCallers: 'anybody', lookUp: async (db, code) => (await findCompanyByCode(db, code)) !== null },
  order: {
    allowedCallers: 'user',
    lookUp: (db, code, app) =>
      isServiceCodeTaken(db, normaliseServiceCode(code), getBusinessMoment({ app, now: app.clock() })),
  },
  module: { allowedCallers: 'providerAdmin', lookUp: createModuleCodeLookup(false) },
  automodule: { allowedCallers: 'providerAdmin', lookUp: createModuleCodeLookup(true) },
}

/** Throws VALIDATION_ERROR for an unknown resource, and FORBIDDEN for one that the caller may not query. */
export async function isCodeTaken(
  app: AppContext,
  caller: Caller | null,
  { resource, code }: { resource: string; code: string },
): Promise<boolean> {
  const codeResource = Object.hasOwn(codeResources, resource) ? codeResources[resource] : undefined
  if (!codeResource) throw createValidationProblem([{ field: 'resource', code: 'OUT_OF_RANGE' }])
  if (!isAllowed(codeResource.allowedCallers, caller)) throw createForbiddenProblem()
  return writeAsSystem(app, (db) => codeResource.lookUp(db, code, app))
}

/**
 * Returns whether the caller's company has a user with this e-mail address. For another `company` (code or id) the result is always false
 * (N-07).
 */
export const hasUserWithEmail: UseCase<typeof userExists> = async ({ db, caller }, { query }) => {
  if (query.company !== undefined && !isOwnCompany(caller, query.company)) return { body: false }
  return { body: (await findUserByEmail(db, caller.companyId, query.code)) !== null }
}

const isOwnCompany = (caller: Caller, company: string) =>
  company.toLowerCase() === caller.companyCode || company === String(caller.companyId)

/** Searches all companies, because the code becomes a host name (D37). The result reveals nothing else. */
export const hasOrderWithCode: UseCase<typeof orderExists> = async (context, { query }) => ({
  body: await isServiceCodeTaken(context.db, normaliseServiceCode(query.code), getBusinessMoment(context)),
})
