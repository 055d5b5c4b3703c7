/** The change of a field line by line. The parts of a price list are taken apart: which price, which step, which currency. */
import { useEffect, useState } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { type ComparedPrices, emptyFees, type PriceDifference, priceDifferences } from '#domain/catalogue/prices.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useTranslation } from 'react-i18next'
import type { Side } from '#features/outbox/conflict-fields.ts'
import { useFieldWords } from '#features/outbox/entry-messages.ts'

type PriceWords = typeof import(/* chunk: trail */ '#ui/i18n/price-field-messages.ts')

/** Words of price lists, which only the provider's staff change and keep. Null: they are not here, or not needed. */
function usePriceWords(isNeeded: boolean): PriceWords | null {
  const [words, setWords] = useState<PriceWords | null>(null)
  useEffect(() => {
    if (!isNeeded) return
    // Without them the fields are named as the call names them.
    void import(/* chunk: trail */ '#ui/i18n/price-field-messages.ts').then(setWords, () => undefined)
  }, [isNeeded])
  return words
}

/** More of them are counted. */
const maxLines = 20

export interface ChangeLines {
  /** "Concurrent users 1–10, HKD: 1,260.00 → 1,300.00". `from` undefined: nobody noted what it was. */
  changes: (field: string, from: unknown, to: unknown) => string[]
  /** What each side of a conflict has where they are not the same; `was` empty: nobody noted it. */
  sides: (side: Side) => Record<'was' | 'mine' | 'theirs', string[]>
  /** The value alone; of a part of a price list each of its fields. */
  values: (field: string, value: unknown) => string[]
  label: (field: string) => string
}

export function useChangeLines(table: string): ChangeLines {
  const { t } = useTranslation('outbox')
  const words = useFieldWords()(table)
  const uatBound = useLiveQuery(async () => await readAnswer(getSettings, {}), [])?.uat_bound ?? 'floor'
  const isPrice = table === 'price_lists'
  const prices = usePriceWords(isPrice)
  const isPart = (field: string) => isPrice && parts.includes(field)
  const partLabel = (path: string) => prices?.priceFieldLabel(path, uatBound) ?? path
  const label = (field: string) => (prices && !isPart(field) ? partLabel(field) : words.field(field))
  const text = (field: string, value: unknown) =>
    prices && typeof value !== 'object' && value !== undefined && value !== ''
      ? prices.priceFieldText(field, String(value))
      : words.value(field, value)
  const cut = (lines: string[]) =>
    lines.length > maxLines
      ? [...lines.slice(0, maxLines), t('moreChanges', { count: lines.length - maxLines })]
      : lines
  const set = (field: string, value: unknown) =>
    t('set', { field: partLabel(field), to: value === null ? '–' : text(field, value) })
  return {
    label,
    changes(field, from, to) {
      const named = { field: label(field), to: text(field, to) }
      if (!isPart(field))
        return [from === undefined ? t('set', named) : t('change', { ...named, from: text(field, from) })]
      const lines = partDifferences(field, from, to).map(({ field: path, before, after }) =>
        from === undefined
          ? set(path, after)
          : t('change', {
              field: partLabel(path),
              from: before === null ? '–' : text(path, before),
              to: after === null ? '–' : text(path, after),
            }),
      )
      return cut(lines)
    },
    sides({ field, was, mine, theirs }) {
      if (!isPart(field))
        return {
          was: was === undefined ? [] : [text(field, was)],
          mine: [text(field, mine)],
          theirs: [text(field, theirs)],
        }
      const common = was === undefined ? theirs : was
      const [own, other] = [mine, theirs].map(
        (side) => new Map(partDifferences(field, common, side).map((one) => [one.field, one])),
      )
      const paths = [...new Set([...(own?.keys() ?? []), ...(other?.keys() ?? [])])]
      const before = (path: string) => (own?.get(path) ?? other?.get(path))?.before
      const after = (differences: typeof own, path: string) => {
        const difference = differences?.get(path)
        return difference ? difference.after : before(path)
      }
      return {
        was: was === undefined ? [] : cut(paths.map((path) => set(path, before(path)))),
        mine: cut(paths.map((path) => set(path, after(own, path)))),
        theirs: cut(paths.map((path) => set(path, after(other, path)))),
      }
    },
    values: (field, value) =>
      isPart(field)
        ? cut(partDifferences(field, undefined, value).map(({ field: path, after }) => set(path, after)))
        : [text(field, value)],
  }
}

const parts: readonly string[] = ['concurrentUser', 'namedUser', 'module', 'pdbPrice']

const emptyList: ComparedPrices = {
  effective_date: '',
  desc: '',
  ...emptyFees,
  concurrentUser: [],
  namedUser: [],
  module: [],
  pdbPrice: null,
}

/** `field`: one of `parts`, whose values are as a price list has them, with or without ids. */
function partDifferences(field: string, from: unknown, to: unknown): PriceDifference[] {
  const listWith = (value: unknown): ComparedPrices => ({ ...emptyList, ...(value ? { [field]: value } : {}) })
  return priceDifferences(listWith(from), listWith(to))
}
