/** Whether a value stands in a field of some row: for the pairs on a list, under the conditions that each takes (F-14). */
import type { fieldExists } from '#contract/accounts.ts'
import { type Caller, type ClientType, clientTypes, isProviderAdmin } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import type { UseCase } from '#server/context/context.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'

interface Conditions {
  /** The row that is being changed, and may keep its value. */
  not: number
  /** Within which the value is unique. */
  type: ClientType
}

interface Pair {
  takes: readonly (keyof Conditions)[]
  /** Of the catalogue, which the provider's staff alone write. */
  staffs?: true
  rows: (db: Handle, value: string, conditions: Conditions & { companyId: number }) => Rows
}

interface Rows {
  executeTakeFirst: () => Promise<unknown>
}

const userWith =
  (column: 'email_key' | 'name_key') =>
  (db: Handle, value: string, { not, companyId }: Conditions & { companyId: number }) =>
    db
      .selectFrom('portal_user')
      .select('id')
      .where('company_id', '=', companyId)
      .where(column, '=', foldText(value))
      .where('status', '!=', userStatus.deleted)
      .where('id', '!=', not)
      .limit(1)

const pairs: Record<string, Pair> = {
  'user.email': { takes: ['not'], rows: userWith('email_key') },
  'user.name': { takes: ['not'], rows: userWith('name_key') },
  'module.code': {
    takes: ['not', 'type'],
    staffs: true,
    rows: (db, value, { not, type }) =>
      db
        .selectFrom('module')
        .select('id')
        .where('type', '=', type)
        .where('code_key', '=', foldText(value))
        .where('deleted', '=', false)
        .where('id', '!=', not)
        .limit(1),
  },
  'price.effective_date': {
    takes: ['not', 'type'],
    staffs: true,
    rows: (db, value, { not, type }) =>
      db
        .selectFrom('price_list')
        .select('id')
        .where('type', '=', type)
        .where('effective_date', '=', value)
        .where('deleted', '=', false)
        .where('id', '!=', not)
        .limit(1),
  },
}

const wrong = (field: 'field' | 'conds') => invalid([{ field, code: 'OUT_OF_RANGE' }])

function pairOf(name: string, caller: Caller): Pair {
  const pair = Object.hasOwn(pairs, name) ? pairs[name] : undefined
  if (!pair || (pair.staffs && !isProviderAdmin(caller))) throw wrong('field')
  return pair
}

/** `not=7&type=saas`: each at most once, and only what the pair takes. */
function conditionsOf({ takes }: Pair, text: string): Conditions {
  const conditions: Conditions = { not: 0, type: 'saas' }
  const seen = new Set<string>()
  for (const [name, value] of new URLSearchParams(text)) {
    const type = clientTypes.find((one) => one === value)
    if (!takes.some((one) => one === name) || seen.has(name)) throw wrong('conds')
    seen.add(name)
    if (name === 'not' && /^[1-9]\d{0,14}$/.test(value)) conditions.not = Number(value)
    else if (name === 'type' && type) conditions.type = type
    else throw wrong('conds')
  }
  return conditions
}

/** Throws VALIDATION_ERROR for a pair or a condition that is not on the list, FORBIDDEN for another client type. */
export const fieldWithValue: UseCase<typeof fieldExists> = async ({ db, caller }, { query }) => {
  const pair = pairOf(`${query.resource}.${query.field}`, caller)
  const conditions = conditionsOf(pair, query.conds ?? '')
  requireType(caller, conditions.type)
  const rows = pair.rows(db, query.value, { ...conditions, companyId: caller.companyId })
  return { body: (await rows.executeTakeFirst()) !== undefined }
}
