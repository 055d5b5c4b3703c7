/** Converts the form to the request body and checks it with the server's own checks (contracts 5). */
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { createPriceList } from '#contract/prices.ts'
import { checkHiddenCharacter, checkRequired, type FieldProblem } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { checkPriceList, type PriceContent, normaliseRanges } from '#domain/checks/price-checks.ts'
import { isDate } from '#domain/plain-dates.ts'
import { cleanText } from '#domain/text.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { parseAmount, parseWholeNumber } from '#features/prices/parse-numbers.ts'
import {
  amountFieldNames,
  backupFieldNames,
  type CurrencyTexts,
  fillNames,
  findLowEnds,
  priceCurrencies,
  headerFieldNames,
  minimumFieldNames,
  type PriceTableName,
  type TierTableName,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'

type PriceListBody = ParsedInputOf<typeof createPriceList>['body']
/** The complete request body. The form sends every field. */
export type SentList = {
  [Name in Exclude<keyof PriceListBody, 'confirmed' | 'type'>]-?: Exclude<PriceListBody[Name], undefined>
}

/** Position of a problem: a header or backup field by its name, or a cell by its row key and column. */
export interface ProblemPosition {
  table: PriceTableName | null
  key: number
  name: string
}
export type PlacedProblem = AnyFieldProblem & ProblemPosition

const toFieldPosition = (name: string): ProblemPosition => ({ table: null, key: 0, name })

export interface PriceFormContext {
  /** Null if the catalogue is not complete on this device. The server then reports unknown modules. */
  moduleIdsByCode: ReadonlyMap<string, number> | null
  /** Effective dates of the other lists of this client type. */
  takenDates: ReadonlySet<string>
  /** Ids of modules that were in the list when it was opened. They may have been removed from the catalogue since. */
  formerIdsByCode: ReadonlyMap<string, number>
}

const maxUsers = 999_999
const emptyAmount = '0.00'

export interface PriceFormResult {
  list: SentList
  problems: PlacedProblem[]
  keys: Record<PriceTableName, readonly number[]>
}

/** Drops rows without a code or users (contracts 5, T11). An invalid value gets a default in `list` and is reported in `problems`. */
export function readForm(values: PriceListValues, formContext: PriceFormContext): PriceFormResult {
  const problems: PlacedProblem[] = []
  const addProblem = (position: ProblemPosition, problem: Omit<FieldProblem, 'field'> | Omit<OrderProblem, 'field'>) =>
    problems.push({ ...position, field: position.name, ...problem } as PlacedProblem)
  const readAmountField = (text: string, position: ProblemPosition, isRequired = false): string => {
    if (text.trim() === '') {
      if (isRequired) addProblem(position, { code: 'REQUIRED' })
      return emptyAmount
    }
    const parsedAmount = parseAmount(text)
    if (parsedAmount === null) addProblem(position, { code: 'INVALID_FORMAT' })
    return parsedAmount ?? emptyAmount
  }
  const readUsersField = (text: string, position: ProblemPosition): number | null => {
    const count = text.trim() === '' ? 0 : parseWholeNumber(text)
    if (count === null) addProblem(position, { code: 'INVALID_FORMAT' })
    else if (count >= 0 && count <= maxUsers) return count
    else addProblem(position, { code: 'OUT_OF_RANGE', limit: count < 0 ? 0 : maxUsers })
    return null
  }
  const { header } = values
  const keys: Record<PriceTableName, number[]> = { concurrentUser: [], namedUser: [], module: [] }
  const readPrices = (table: PriceTableName, { key, ...prices }: CurrencyTexts & { key: number }) => {
    keys[table].push(key)
    return fillNames(priceCurrencies, (name) => readAmountField(prices[name], { table, key, name }, true))
  }
  const readTiers = (table: TierTableName) => {
    // The server would raise these ends, which the user has not seen.
    for (const [key, from] of findLowEnds(values[table]))
      addProblem({ table, key, name: 'from' }, { code: 'OUT_OF_RANGE', from, limit: maxUsers })
    return normaliseRanges(
      values[table].flatMap((row) => {
        const to = readUsersField(row.to, { table, key: row.key, name: 'to' })
        return to === 0 ? [] : [{ from: 0, to: to ?? 1, ...readPrices(table, row) }]
      }),
    ).map(({ id: _id, ...row }) => row)
  }
  const day = header.effective_date.trim()
  const list: SentList = {
    effective_date: day,
    desc: cleanText(header.desc),
    uat_charge: readAmountField(header.uat_charge, toFieldPosition('uat_charge')),
    ...fillNames(amountFieldNames, (name) => readAmountField(header[name], toFieldPosition(name))),
    ...fillNames(minimumFieldNames, (name) => readUsersField(header[name], toFieldPosition(name)) ?? 0),
    concurrentUser: readTiers('concurrentUser'),
    namedUser: readTiers('namedUser'),
    module: values.module.flatMap((row) => {
      const code = row.code.trim()
      if (code === '') return []
      const id = formContext.moduleIdsByCode?.get(code) ?? formContext.formerIdsByCode.get(code)
      if (id === undefined && formContext.moduleIdsByCode)
        addProblem({ table: 'module', key: row.key, name: 'code' }, { code: 'MODULE_UNKNOWN', named: code })
      return [{ code, module_id: id ?? 0, ...readPrices('module', row) }]
    }),
    pdbPrice:
      values.pdbPrice &&
      fillNames(backupFieldNames, (name) =>
        readAmountField(values.pdbPrice?.[name] ?? '', toFieldPosition(`pdbPrice.${name}`)),
      ),
  }
  const dayPosition = toFieldPosition('effective_date')
  if (day === '') addProblem(dayPosition, { code: 'REQUIRED' })
  else if (!isDate(day)) addProblem(dayPosition, { code: 'INVALID_FORMAT' })
  else if (formContext.takenDates.has(day)) addProblem(dayPosition, { code: 'DUPLICATE', named: day })
  const descProblem = checkRequired(list.desc) ?? checkHiddenCharacter(list.desc)
  if (descProblem) addProblem(toFieldPosition('desc'), descProblem)
  const content = { ...list, ...addIds(list) } as PriceContent
  // Values that could not be parsed have defaults here. They are already reported, so problems of the defaults are dropped.
  const listProblems = checkPriceList(content).map((problem) => placeProblem(problem, keys))
  const reportedKeys = new Set(problems.map(getProblemKey))
  return {
    list,
    keys,
    problems: [...problems, ...listProblems.filter((problem) => !reportedKeys.has(getProblemKey(problem)))],
  }
}

/** Returns a text that identifies a position. Only one problem per position is reported. */
export const getProblemKey = ({ table, key, name }: ProblemPosition) => `${table} ${key} ${name}`

export const addIds = ({ concurrentUser = [], namedUser = [], module = [] }: SentList) => {
  const addRowIds = <R>(rows: readonly R[]) => rows.map((row, index) => ({ id: index + 1, ...row }))
  return { concurrentUser: addRowIds(concurrentUser), namedUser: addRowIds(namedUser), module: addRowIds(module) }
}

/** Maps a problem of the sent list to the row of the form. Works for the server's problems too. */
export function placeProblem<P extends AnyFieldProblem>(
  problem: P,
  keys: Record<PriceTableName, readonly number[]>,
): P & ProblemPosition {
  const match = /^(concurrentUser|namedUser|module)\.(\d+)\.(\w+)$/.exec(problem.field)
  const [, table, rowIndex, name] = match ?? []
  if (!table || !name) return { ...problem, ...toFieldPosition(problem.field) }
  const key = keys[table as PriceTableName][Number(rowIndex)] ?? 0
  return { ...problem, table: table as PriceTableName, key, name }
}

export const hasField = (field: string): boolean =>
  /^(concurrentUser|namedUser|module)\.\d+\.\w+$/.test(field) ||
  headerFieldNames.some((name) => name === field) ||
  backupFieldNames.some((name) => `pdbPrice.${name}` === field)

/** Returns only the changed fields. The server keeps the fields that a PUT does not contain. */
export const getListChanges = (newList: SentList, previousList: SentList): Partial<SentList> =>
  Object.fromEntries(
    Object.entries(newList).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(previousList[name as keyof SentList]),
    ),
  )
