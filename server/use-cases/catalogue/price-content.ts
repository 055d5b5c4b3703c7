/** Converts a price list from the sent form to the stored form, and checks it (contracts 5, D81, D82). */
import type { ClientType } from '#domain/access.ts'
import { checkPriceList, type PriceContent, normaliseRanges } from '#domain/checks/price-checks.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { isDate } from '#domain/plain-dates.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { updatePriceList } from '#contract/prices.ts'
import { listModulesOfType } from '#server/db/catalogue/modules.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'

export type PriceContentInput = Omit<ParsedInputOf<typeof updatePriceList>['body'], 'id'>

const zeroAmount = '0.00'
const emptyContent: PriceContent = {
  uat_charge: zeroAmount,
  uat_cap_hkd: zeroAmount,
  uat_cap_usd: zeroAmount,
  uat_cap_rmb: zeroAmount,
  min_concurrent_user: 0,
  min_named_user: 0,
  min_fee_hkd: zeroAmount,
  min_fee_usd: zeroAmount,
  min_fee_rmb: zeroAmount,
  concurrentUser: [],
  namedUser: [],
  module: [],
  pdbPrice: null,
}

export const buildNewContent = (input: PriceContentInput): PriceContent => mergeContent(emptyContent, input)

/** Merges the sent fields into the current content. The id of a row is its position, because a list is always stored completely. */
export function mergeContent(currentContent: PriceContent, input: PriceContentInput): PriceContent {
  const fieldNames = Object.keys(emptyContent) as (keyof PriceContent)[]
  const sentFields = Object.fromEntries(
    fieldNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  )
  const mergedContent = { ...currentContent, ...(normaliseAmounts(sentFields) as Partial<PriceContent>) }
  return {
    ...mergedContent,
    concurrentUser: normaliseRanges(mergedContent.concurrentUser),
    namedUser: normaliseRanges(mergedContent.namedUser),
    // A row in which no module was chosen is ignored (contracts 5).
    module: mergedContent.module
      .filter(({ code }) => code !== '')
      .map(({ code, module_id, hkd, usd, rmb }, index) => ({ id: index + 1, code, module_id, hkd, usd, rmb })),
  }
}

/** Writes `-0.00` and `007.50` in the usual form, so that equal lists have equal content. */
const normaliseAmounts = (value: unknown): unknown => {
  if (typeof value === 'string') return /^-?\d+\.\d\d$/.test(value) ? writeAmount(readAmount(value)) : value
  if (Array.isArray(value)) return value.map(normaliseAmounts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, normaliseAmounts(field)]))
}

export interface UnsavedPriceList {
  type: ClientType
  effective_date: string
  description: string
  content: PriceContent
}

/** Returns the faults of a draft, without a check whether its modules exist and whether its date is already used. */
export const findDraftProblems = ({ effective_date, description, content }: Omit<UnsavedPriceList, 'type'>) => [
  ...(isDate(effective_date) ? [] : [{ field: 'effective_date', code: 'INVALID_FORMAT' as const }]),
  ...(description === '' ? [{ field: 'desc', code: 'REQUIRED' as const }] : []),
  ...checkPriceList(content),
]

/** Throws VALIDATION_ERROR with all faults, but does not check whether another list has the same effective date. */
export async function requireValidDraft({ db }: Pick<UseCaseContext, 'db'>, draft: UnsavedPriceList): Promise<void> {
  const { type, content } = draft
  const codesById = new Map(
    (await listModulesOfType(db, type)).flatMap(({ id, code, hidden }) => (hidden ? [] : [[id, code]])),
  )
  const unknownModules = content.module.filter(({ code, module_id }) => codesById.get(module_id) !== code)
  const problems = [
    ...findDraftProblems(draft),
    ...unknownModules.map(({ id, code }) => ({
      field: `module.${id - 1}.code`,
      code: 'MODULE_UNKNOWN' as const,
      named: code,
    })),
  ]
  if (problems.length > 0) throw createValidationProblem(problems)
}
