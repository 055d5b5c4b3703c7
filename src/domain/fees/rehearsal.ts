/**
 * Calculates the effect of a price list on contracts at their renewal: compares the annual fee at which each was sold with the fee on this
 * list (contracts 9, D16). Contracts are added one by one and not stored, so memory does not grow with their number.
 */
import { quoteAnnualFee, type ContractTerms, type UatBound } from '#domain/fees/annual.ts'
import { type PriceList, getCurrencyPrices } from '#domain/fees/price-list.ts'
import { currencies, type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'

export interface RehearsedContract extends ContractTerms {
  id: number
  currency: Currency
  /** The annual fee of the last paid segment, as stored at the sale (D11). */
  currentFee: Hundredths
}

export type ContractRenewal =
  | { kind: 'priced'; newFee: Hundredths }
  /** The contract cannot be renewed unchanged (D3, D16). `missing` has the codes of modules that are not on the list. */
  | { kind: 'failing'; reason: 'usersOutOfRange' | 'modulesNotListed'; missing: string[] }

export function quoteRenewal(list: PriceList, contract: RehearsedContract, uatBound: UatBound): ContractRenewal {
  const feeResult = quoteAnnualFee(getCurrencyPrices(list, contract.currency), contract, uatBound)
  if (feeResult.kind === 'priced') return { kind: 'priced', newFee: feeResult.annualFee.fee }
  return feeResult.kind === 'USERS_OUT_OF_RANGE'
    ? { kind: 'failing', reason: 'usersOutOfRange', missing: [] }
    : { kind: 'failing', reason: 'modulesNotListed', missing: feeResult.modules }
}

const percentLimits = [-50, -20, -10, -5, -1, 0, 1, 5, 10, 20, 50] as const

/** `from` is inclusive, `to` exclusive, in percent. 0 to 0: unchanged. 0 to 1: up by less than one percent. */
export const histogramSteps: readonly { from: number | null; to: number | null }[] = [
  { from: null, to: percentLimits[0] },
  ...percentLimits.slice(0, 5).map((from, index) => ({ from, to: percentLimits[index + 1] as number })),
  { from: 0, to: 0 },
  ...percentLimits.slice(5).map((from, index) => ({ from, to: percentLimits[index + 6] ?? null })),
]
const sameStep = 6

/** Returns the index of a change in `histogramSteps`. A change from zero is larger than any percentage. */
export function findHistogramStep(currentFee: Hundredths, newFee: Hundredths): number {
  if (newFee === currentFee) return sameStep
  const passedLimitCount = percentLimits.filter(
    (limit) => (newFee - currentFee) * 100n >= BigInt(limit) * currentFee,
  ).length
  // One more for a higher fee, because the step of unchanged fees comes before it.
  return newFee > currentFee ? passedLimitCount + 1 : passedLimitCount
}

export interface FeeChange {
  id: number
  now: string
  then: string
}

export interface CurrencyFigures {
  currency: Currency
  contracts: number
  now: string
  then: string
  more: number
  less: number
  same: number
  histogram: number[]
}

/** Progress of a rehearsal. Plain data, so that it can be stored and continued. */
export interface RehearsalFigures {
  contracts: number
  currencies: CurrencyFigures[]
  /** The largest changes in percent, up or down. Ties are sorted by id. */
  largest: FeeChange[]
  failing: number
  failures: number[]
}

export const rehearsalLimits = { largest: 20, failures: 200 } as const

export const createEmptyRehearsal = (): RehearsalFigures => ({
  contracts: 0,
  currencies: currencies.map((currency) => ({
    currency,
    contracts: 0,
    now: writeAmount(0n),
    then: writeAmount(0n),
    more: 0,
    less: 0,
    same: 0,
    histogram: histogramSteps.map(() => 0),
  })),
  largest: [],
  failing: 0,
  failures: [],
})

/** Adds a contract to the figures in place. Contracts must be added in the order of their ids. */
export function addToRehearsal(
  figures: RehearsalFigures,
  list: PriceList,
  contract: RehearsedContract,
  uatBound: UatBound,
): void {
  const { id, currentFee } = contract
  const renewal = quoteRenewal(list, contract, uatBound)
  figures.contracts += 1
  if (renewal.kind === 'failing') {
    figures.failing += 1
    if (figures.failures.length < rehearsalLimits.failures) figures.failures.push(id)
    return
  }
  const { newFee } = renewal
  const currencyFigures = figures.currencies.find(({ currency }) => currency === contract.currency)
  if (!currencyFigures) throw new Error(`the figures for ${contract.currency} are missing`)
  currencyFigures.contracts += 1
  currencyFigures.now = writeAmount(readAmount(currencyFigures.now) + currentFee)
  currencyFigures.then = writeAmount(readAmount(currencyFigures.then) + newFee)
  currencyFigures[newFee > currentFee ? 'more' : newFee < currentFee ? 'less' : 'same'] += 1
  const step = findHistogramStep(currentFee, newFee)
  currencyFigures.histogram[step] = (currencyFigures.histogram[step] ?? 0) + 1
  if (newFee !== currentFee)
    insertIfLargest(figures.largest, { id, now: writeAmount(currentFee), then: writeAmount(newFee) })
}

function insertIfLargest(largest: FeeChange[], change: FeeChange): void {
  const position = largest.findIndex((otherChange) => isLarger(change, otherChange))
  largest.splice(position < 0 ? largest.length : position, 0, change)
  largest.splice(rehearsalLimits.largest)
}

/** Compares fractions, so percentages are not rounded. */
function isLarger(change: FeeChange, otherChange: FeeChange): boolean {
  const [a, b] = [change, otherChange].map(({ now, then }) => ({
    now: readAmount(now),
    difference: toAbsolute(readAmount(then) - readAmount(now)),
  }))
  if (!a || !b) return false
  const [productA, productB] = [a.difference * b.now, b.difference * a.now]
  if (productA !== productB) return productA > productB
  // If both fees were zero, only the ids decide.
  return change.id < otherChange.id
}

const toAbsolute = (amount: Hundredths): Hundredths => (amount < 0n ? -amount : amount)
