/** Checks whether a value exists in a field. Only listed pairs of resource and field are allowed (F-14). */
import type { fieldExists } from '#contract/accounts.ts'
import { type Caller, type ClientType, clientTypes, isProviderAdmin } from '#domain/access.ts'
import { normaliseText } from '#domain/text.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { UseCase } from '#server/context/context.ts'
import { createFieldError } from '#server/problems/problem-error.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'

interface FieldConditions {
  /** Id of the row that is being changed. It is excluded from the search. */
  not: number
  /** Client type in which the value is searched. Values are unique only within a client type. */
  type: ClientType
}

interface FieldLookup {
  allowedConditions: readonly (keyof FieldConditions)[]
  isForProviderStaff?: true
  buildQuery: (db: DatabaseHandle, value: string, conditions: FieldConditions & { companyId: number }) => ExistsQuery
}

interface ExistsQuery {
  executeTakeFirst: () => Promise<unknown>
}

const createUserQuery =
  (column: 'email_key' | 'name_key') =>
  (db: DatabaseHandle, value: string, { not: excludedId, companyId }: FieldConditions & { companyId: number }) =>
    db
      .selectFrom('portal_user')
      .select('id')
      .where('company_id', '=', companyId)
      .where(column, '=', normaliseText(value))
      .where('status', '!=', userStatus.deleted)
      .where('id', '!=', excludedId)
      .limit(1)

const fieldLookups: Record<string, FieldLookup> = {
  'user.email': { allowedConditions: ['not'], buildQuery: createUserQuery('email_key') },
  'user.name': { allowedConditions: ['not'], buildQuery: createUserQuery('name_key') },
  'module.code': {
    allowedConditions: ['not', 'type'],
    isForProviderStaff: true,
    buildQuery: (db, value, { not: excludedId, type }) =>
      db
        .selectFrom('module')
        .select('id')
        .where(hasValues({ type, code_key: normaliseText(value), deleted: false }))
        .where('id', '!=', excludedId)
        .limit(1),
  },
  'price.effective_date': {
    allowedConditions: ['not', 'type'],
    isForProviderStaff: true,
    buildQuery: (db, value, { not: excludedId, type }) =>
      db
        .selectFrom('price_list')
        .select('id')
        .where(hasValues({ type, effective_date: value, deleted: false }))
        .where('id', '!=', excludedId)
        .limit(1),
  },
}

function findFieldLookup(name: string, caller: Caller): FieldLookup {
  const lookup = Object.hasOwn(fieldLookups, name) ? fieldLookups[name] : undefined
  if (!lookup || (lookup.isForProviderStaff && !isProviderAdmin(caller)))
    throw createFieldError('field', 'OUT_OF_RANGE')
  return lookup
}

/** Parses conditions such as `not=7&type=saas`. Each may occur once, and only if the pair allows it. */
function parseConditions({ allowedConditions }: FieldLookup, text: string): FieldConditions {
  const conditions: FieldConditions = { not: 0, type: 'saas' }
  const seenNames = new Set<string>()
  for (const [name, value] of new URLSearchParams(text)) {
    const type = clientTypes.find((clientType) => clientType === value)
    if (!allowedConditions.some((condition) => condition === name) || seenNames.has(name))
      throw createFieldError('conds', 'OUT_OF_RANGE')
    seenNames.add(name)
    if (name === 'not' && /^[1-9]\d{0,14}$/.test(value)) conditions.not = Number(value)
    else if (name === 'type' && type) conditions.type = type
    else throw createFieldError('conds', 'OUT_OF_RANGE')
  }
  return conditions
}

/** Throws VALIDATION_ERROR for a pair or condition that is not listed, and FORBIDDEN for a client type that the caller may not use. */
export const hasFieldWithValue: UseCase<typeof fieldExists> = async ({ db, caller }, { query }) => {
  const lookup = findFieldLookup(`${query.resource}.${query.field}`, caller)
  const conditions = parseConditions(lookup, query.conds ?? '')
  requireType(caller, conditions.type)
  const existsQuery = lookup.buildQuery(db, query.value, { ...conditions, companyId: caller.companyId })
  return { body: (await existsQuery.executeTakeFirst()) !== undefined }
}
