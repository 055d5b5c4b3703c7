/** Tests the printed calculation steps of a contract change, in both languages. */
import { expect, test } from 'vitest'
import { explainQuote } from '#domain/fees/explain.ts'
import { quoteChange } from '#domain/fees/quote.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'
import { renderSteps } from '#server/use-cases/prints/document-parts.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const quoteInput = {
  list: lists.A,
  currency: 'HKD' as const,
  terms: { user_mode: 'CONCURRENT' as const, users: 10, modules: ['core', 'fin'], uat: 0 as const },
}

test.each([
  ['en', 'New fee 42,000.00 × 5 (1826 days, counted as 5 years: 2027-03-02 to 2032-02-29)'],
  ['en', 'Paid before: 40,000.00 × 5 (1826 days, counted as 5 years: 2027-03-02 to 2032-02-29)'],
  ['zh', '新年费 42,000.00 × 5 年（1826 天，按 5 年计：2027-03-02 至 2032-02-29）'],
  ['zh', '原已付：40,000.00 × 5 年（1826 天，按 5 年计：2027-03-02 至 2032-02-29）'],
] as const)(
  'A print shows the number of days and the years that are charged for them (%s): %s (fault 9)',
  (language, expectedText) => {
    const segments = [{ start: '2027-03-01', end: '2032-03-01', annualFee: 4_000_000n }]
    const result = quoteChange(quoteInput, segments, '2027-03-02')
    if (result.kind !== 'quote') throw new Error(result.kind)
    expect(renderSteps(createPrintTranslator(language), 'HKD', explainQuote(result.quote)).html).toContain(expectedText)
  },
)
