/** Builds the description of a pro-forma invoice from its stored content, and from nothing else. */
import type { Language } from '#domain/accounts/users.ts'
import { groupThousands, readAmount } from '#domain/money.ts'
import type {
  AmountTable,
  DocumentSection,
  DocumentTotal,
  IssuedDocument,
} from '#server/drivers/pdf/issued-document.ts'
import type { TranslateText } from '#server/text/translator.ts'
import { buildParties, buildTotal, listFacts } from '#server/use-cases/documents/document-parts.ts'
import { formatDays, formatSignedAmount } from '#server/use-cases/documents/fee-steps.ts'
import type { FrozenProforma, FrozenProformaItem } from '#server/use-cases/documents/frozen-content.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'

export function buildProforma(content: FrozenProforma, { language }: { language: Language }): IssuedDocument {
  const translate = createPrintTranslator(language)
  const { proforma_no: number, issued, time_zone: timeZone, seller, due } = content
  const title = translate('proforma')
  return {
    language,
    title,
    number,
    issued,
    timeZone,
    state: translate('standing.unpaid'),
    parties: buildParties(translate, content),
    highlight: { label: translate('transfer.reference'), value: number, text: translate('transfer.quote') },
    sections: [buildBankDetails(content, translate)],
    table: buildTable(content, translate),
    totals: buildTotals(content, translate),
    notes: [
      ...(due === null ? [translate('transfer.undated')] : [translate('transfer.late', { due })]),
      translate('transfer.notTax'),
      translate('zone', { zone: timeZone }),
    ],
    squaresNote: translate('squares'),
    footer: `${title} ${number} · ${seller.name}`,
  }
}

function buildBankDetails(
  { issued, due, currency, transfer, account }: FrozenProforma,
  translate: TranslateText,
): DocumentSection {
  return {
    title: translate('transfer.title'),
    facts: listFacts([
      [translate('transfer.holder'), account.holder],
      [translate('transfer.account'), account.account],
      [translate('transfer.bank'), account.bank],
      [translate('transfer.bic'), account.bic],
      [translate('transfer.address'), account.address],
      [translate('transfer.amount'), formatSignedAmount(currency, transfer)],
      [translate('transfer.due'), due],
      [translate('transfer.issued'), issued],
    ]),
  }
}

const buildTable = ({ items, currency }: FrozenProforma, translate: TranslateText): AmountTable => ({
  title: translate('transfer.items'),
  heads: [translate('item'), translate('amount', { currency })],
  lines: items.map((item) => ({
    text: formatItem(item, translate),
    amount: groupThousands(item.pay_amount),
    isSum: false,
  })),
})

/** Returns the service and what is bought, such as "shop (Shop): New contract, 2026-03-02 to 2027-03-01, 5 named users". */
function formatItem({ service: { code, name }, ...item }: FrozenProformaItem, translate: TranslateText): string {
  const service = name === '' || name === code ? code : translate('transfer.service', { code, name })
  const matter = formatMatter(item, translate).join(translate('listSeparator'))
  return translate('transfer.line', { service, matter })
}

function formatMatter(
  { order, backup, traffic }: Omit<FrozenProformaItem, 'service'>,
  translate: TranslateText,
): string[] {
  if (order) {
    const { type, period_start: start, period_end: end, user_mode: mode, users } = order
    return [
      translate(`type.${type}`),
      formatDays(translate, start, end),
      translate(`mode.${mode}`, { users: String(users) }),
    ]
  }
  if (backup)
    return [translate(`backups.${backup.pdb_type}`), formatDays(translate, backup.period_start, backup.period_end)]
  return [translate('traffic'), traffic?.month ?? '']
}

/** The amount to transfer is highlighted, because it is what the reader enters at the bank. */
function buildTotals(
  { currency, amount, credit, transfer }: FrozenProforma,
  translate: TranslateText,
): DocumentTotal[] {
  const toPart = (label: string, value: string): DocumentTotal => ({
    kind: 'part',
    label,
    value: formatSignedAmount(currency, value),
  })
  const parts =
    readAmount(credit) > 0n
      ? [toPart(translate('total.amount'), amount), toPart(translate('transfer.credit'), `-${credit}`)]
      : []
  const totals = buildTotal(translate, { currency, amount: transfer })
  const toLabelled = (total: DocumentTotal): DocumentTotal =>
    total.kind === 'total' ? { ...total, label: translate('transfer.toPay') } : total
  return [...parts, ...totals.map(toLabelled)]
}
