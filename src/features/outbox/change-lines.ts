/** Formats the change of a field line by line. Parts of a price list are broken down by price, step and currency. */
import { useEffect, useState } from 'react'
import { getSettings } from '#contract/accounts.ts'
import {
  type ComparedPriceList,
  emptyFees,
  type PriceDifference,
  findPriceDifferences,
} from '#domain/catalogue/price-differences.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useTranslation } from 'react-i18next'
import type { ConflictField } from '#features/outbox/conflict-fields.ts'
import { useFieldFormatter } from '#features/outbox/entry-messages.ts'

type PriceFieldMessages = typeof import(/* chunk: trail */ '#ui/i18n/price-field-messages.ts')

/** Only devices of the provider's staff store these messages. Null if they are unavailable or not needed. */
function usePriceFieldMessages(isNeeded: boolean): PriceFieldMessages | null {
  const [priceMessages, setPriceMessages] = useState<PriceFieldMessages | null>(null)
  useEffect(() => {
    if (!isNeeded) return
    void import(/* chunk: trail */ '#ui/i18n/price-field-messages.ts').then(setPriceMessages, () => undefined)
  }, [isNeeded])
  return priceMessages
}

const maxLines = 20

export interface ChangeLines {
  /** Returns lines such as "Concurrent users 1–10, HKD: 1,260.00 → 1,300.00". `from`: undefined if the old value was not recorded. */
  formatChanges: (field: string, from: unknown, to: unknown) => string[]
  /** Returns the values of each side of a conflict that differ. `was` is empty if the old value was not recorded. */
  formatSides: (side: ConflictField) => Record<'was' | 'mine' | 'theirs', string[]>
  /** Returns the value alone or, for a part of a price list, each of its fields. */
  formatValues: (field: string, value: unknown) => string[]
  formatLabel: (field: string) => string
}

export function useChangeLines(table: string): ChangeLines {
  const { t } = useTranslation('outbox')
  const fieldFormatter = useFieldFormatter()(table)
  const uatBound = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.uat_bound ?? 'floor'
  const isPrice = table === 'price_lists'
  const prices = usePriceFieldMessages(isPrice)
  const isPriceListField = (field: string) => isPrice && priceParts.includes(field)
  const getPriceFieldLabel = (path: string) => prices?.formatPriceFieldLabel(path, uatBound) ?? path
  const formatLabel = (field: string) =>
    prices && !isPriceListField(field) ? getPriceFieldLabel(field) : fieldFormatter.formatField(field)
  const formatFieldValue = (field: string, value: unknown) =>
    prices && typeof value !== 'object' && value !== undefined && value !== ''
      ? prices.formatPriceFieldValue(field, String(value))
      : fieldFormatter.formatValue(field, value)
  const limitLines = (lines: string[]) =>
    lines.length > maxLines
      ? [...lines.slice(0, maxLines), t('moreChanges', { count: lines.length - maxLines })]
      : lines
  const describeSet = (field: string, value: unknown) =>
    t('set', { field: getPriceFieldLabel(field), to: value === null ? '–' : formatFieldValue(field, value) })
  return {
    formatLabel,
    formatChanges(field, from, to) {
      const params = { field: formatLabel(field), to: formatFieldValue(field, to) }
      if (!isPriceListField(field))
        return [from === undefined ? t('set', params) : t('change', { ...params, from: formatFieldValue(field, from) })]
      const lines = comparePriceField(field, from, to).map(({ field: path, before, after }) =>
        from === undefined
          ? describeSet(path, after)
          : t('change', {
              field: getPriceFieldLabel(path),
              from: before === null ? '–' : formatFieldValue(path, before),
              to: after === null ? '–' : formatFieldValue(path, after),
            }),
      )
      return limitLines(lines)
    },
    formatSides({ field, baseValue, localValue, serverValue }) {
      if (!isPriceListField(field))
        return {
          was: baseValue === undefined ? [] : [formatFieldValue(field, baseValue)],
          mine: [formatFieldValue(field, localValue)],
          theirs: [formatFieldValue(field, serverValue)],
        }
      const base = baseValue === undefined ? serverValue : baseValue
      const [ownDifferencesByPath, otherDifferencesByPath] = [localValue, serverValue].map(
        (side) => new Map(comparePriceField(field, base, side).map((difference) => [difference.field, difference])),
      )
      const paths = [...new Set([...(ownDifferencesByPath?.keys() ?? []), ...(otherDifferencesByPath?.keys() ?? [])])]
      const getBefore = (path: string) => (ownDifferencesByPath?.get(path) ?? otherDifferencesByPath?.get(path))?.before
      const getAfter = (differencesByPath: typeof ownDifferencesByPath, path: string) => {
        const difference = differencesByPath?.get(path)
        return difference ? difference.after : getBefore(path)
      }
      return {
        was: baseValue === undefined ? [] : limitLines(paths.map((path) => describeSet(path, getBefore(path)))),
        mine: limitLines(paths.map((path) => describeSet(path, getAfter(ownDifferencesByPath, path)))),
        theirs: limitLines(paths.map((path) => describeSet(path, getAfter(otherDifferencesByPath, path)))),
      }
    },
    formatValues: (field, value) =>
      isPriceListField(field)
        ? limitLines(
            comparePriceField(field, undefined, value).map(({ field: path, after }) => describeSet(path, after)),
          )
        : [formatFieldValue(field, value)],
  }
}

const priceParts: readonly string[] = ['concurrentUser', 'namedUser', 'module', 'pdbPrice']

const emptyPriceList: ComparedPriceList = {
  effective_date: '',
  desc: '',
  ...emptyFees,
  concurrentUser: [],
  namedUser: [],
  module: [],
  pdbPrice: null,
}

/** `field`: one of `priceParts`. The values have the format of a price list, with or without ids. */
function comparePriceField(field: string, from: unknown, to: unknown): PriceDifference[] {
  const toList = (value: unknown): ComparedPriceList => ({ ...emptyPriceList, ...(value ? { [field]: value } : {}) })
  return findPriceDifferences(toList(from), toList(to))
}
