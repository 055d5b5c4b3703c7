/** Parts that issued documents have in common. */
import { toCapitalNumerals } from '#domain/capital-numerals.ts'
import { buildAddressLines } from '#domain/accounts/company-address.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import type { DocumentFact, DocumentParty, DocumentTotal } from '#server/drivers/pdf/issued-document.ts'
import type { TranslateText } from '#server/text/translator.ts'
import { formatSignedAmount } from '#server/use-cases/documents/fee-steps.ts'
import type { InvoiceParty } from '#server/use-cases/documents/frozen-content.ts'

/** Leaves out facts without a value. */
export const listFacts = (facts: [label: string, value: string | null | undefined][]): DocumentFact[] =>
  facts.flatMap(([label, value]) => (value ? [[label, value] satisfies DocumentFact] : []))

export function buildParties(
  translate: TranslateText,
  { seller, buyer }: { seller: InvoiceParty; buyer: InvoiceParty | null },
): DocumentParty[] {
  const sellerParty = buildParty(translate, translate('seller'), seller)
  return buyer ? [sellerParty, buildParty(translate, translate('buyer'), buyer)] : [sellerParty]
}

function buildParty(translate: TranslateText, role: string, { name, code, ...details }: InvoiceParty): DocumentParty {
  return {
    role,
    name,
    addressLines: buildAddressLines(details, details.country && translate(`country.${details.country}`)),
    facts: listFacts([
      [translate('taxNumber'), details.tax_number],
      [translate('companyCode'), code],
      [translate('tel'), details.tel],
      [translate('email'), details.email],
      [translate('website'), details.website],
    ]),
  }
}

/** Returns the total, for RMB also in words as the settlement rules of the People's Bank demand. */
export function buildTotal(
  translate: TranslateText,
  { currency, amount }: { currency: Currency; amount: string },
): DocumentTotal[] {
  const total: DocumentTotal = {
    kind: 'total',
    label: translate('total.amount'),
    value: formatSignedAmount(currency, amount),
  }
  if (currency !== 'RMB') return [total]
  return [total, { kind: 'words', label: translate('capitals'), value: toCapitalNumerals(readAmount(amount)) }]
}

export const formatMethod = (translate: TranslateText, method: string): string =>
  translate(`gateway.${method}`) || method
