/** What is kept of a price list as somebody sent it, and whether it can be (contracts 5, D81, D82). */
import type { ClientType } from '#domain/access.ts'
import { checkPriceList, type PriceContent, rangesInOrder } from '#domain/checks/price-checks.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { isDate } from '#domain/period.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { updatePriceList } from '#contract/prices.ts'
import { modulesOf } from '#server/db/catalogue/modules.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { invalid } from '#server/problems/problem-error.ts'

export type SentContent = Omit<ParsedInputOf<typeof updatePriceList>['body'], 'id'>

const none = '0.00'
const empty: PriceContent = {
  uat_charge: none,
  uat_cap_hkd: none,
  uat_cap_usd: none,
  uat_cap_rmb: none,
  min_concurrent_user: 0,
  min_named_user: 0,
  min_fee_hkd: none,
  min_fee_usd: none,
  min_fee_rmb: none,
  concurrentUser: [],
  namedUser: [],
  module: [],
  pdbPrice: null,
}

/** All of a list that is made of this. */
export const contentOfNew = (sent: SentContent): PriceContent => contentOf(empty, sent)

/** What is kept of a form over what was there. Ids of rows are their places: a list is written whole. */
export function contentOf(before: PriceContent, sent: SentContent): PriceContent {
  const named = Object.keys(empty) as (keyof PriceContent)[]
  const given = Object.fromEntries(named.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])))
  const merged = { ...before, ...(asWritten(given) as Partial<PriceContent>) }
  return {
    ...merged,
    concurrentUser: rangesInOrder(merged.concurrentUser),
    namedUser: rangesInOrder(merged.namedUser),
    // A row for which no module was chosen is none (contracts 5).
    module: merged.module
      .filter(({ code }) => code !== '')
      .map(({ code, module_id, hkd, usd, rmb }, at) => ({ id: at + 1, code, module_id, hkd, usd, rmb })),
  }
}

/** `-0.00` and `007.50` are the amounts that everybody else writes otherwise: lists that say the same must read the same. */
const asWritten = (value: unknown): unknown => {
  if (typeof value === 'string') return /^-?\d+\.\d\d$/.test(value) ? writeAmount(readAmount(value)) : value
  if (Array.isArray(value)) return value.map(asWritten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asWritten(one)]))
}

export interface Draft {
  type: ClientType
  effective_date: string
  description: string
  content: PriceContent
}

/** What is wrong with it, wherever it is kept: whether its modules are there and its day is free is another matter. */
export const draftProblems = ({ effective_date, description, content }: Omit<Draft, 'type'>) => [
  ...(isDate(effective_date) ? [] : [{ field: 'effective_date', code: 'INVALID_FORMAT' as const }]),
  ...(description === '' ? [{ field: 'desc', code: 'REQUIRED' as const }] : []),
  ...checkPriceList(content),
]

/** Throws VALIDATION_ERROR with all that is wrong with it, but for a day that another list begins on. */
export async function requireSound({ db }: Pick<UseCaseContext, 'db'>, draft: Draft): Promise<void> {
  const { type, content } = draft
  const known = new Map((await modulesOf(db, type)).flatMap(({ id, code, hidden }) => (hidden ? [] : [[id, code]])))
  const unknown = content.module.filter(({ code, module_id }) => known.get(module_id) !== code)
  const problems = [
    ...draftProblems(draft),
    ...unknown.map(({ id, code }) => ({
      field: `module.${id - 1}.code`,
      code: 'MODULE_UNKNOWN' as const,
      named: code,
    })),
  ]
  if (problems.length > 0) throw invalid(problems)
}
