/** Builds the description of an invoice from its stored content, and from nothing else: an invoice looks the same for ever. */
import type { Language } from '#domain/accounts/users.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { calculateExtraTraffic } from '#domain/fees/traffic.ts'
import { trimPercent } from '#domain/fees/percent.ts'
import type {
  DocumentFact,
  DocumentSection,
  AmountTable,
  DocumentTotal,
  IssuedDocument,
} from '#server/drivers/pdf/issued-document.ts'
import type { TranslateText } from '#server/text/translator.ts'
import { buildParties, buildTotal, formatMethod, listFacts } from '#server/use-cases/documents/document-parts.ts'
import { formatDays, formatSignedAmount, formatStep, isSum } from '#server/use-cases/documents/fee-steps.ts'
import type { FrozenInvoice, FrozenSubject } from '#server/use-cases/documents/frozen-content.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'

export function buildInvoice(
  content: FrozenInvoice,
  { language, timeZone }: { language: Language; timeZone: string },
): IssuedDocument {
  const translate = createPrintTranslator(language)
  const { invoice_no: number, issued, seller } = content
  const title = translate('invoice')
  return {
    language,
    title,
    number,
    issued,
    timeZone,
    state: translate('standing.paid'),
    parties: buildParties(translate, content),
    sections: [buildPayment(content, translate), buildSubject(content, translate)],
    table: buildTable(content, translate),
    totals: buildTotals(content, translate),
    notes: [translate('zone', { zone: timeZone })],
    squaresNote: translate('squares'),
    footer: `${title} ${number} · ${seller.name}`,
  }
}

function buildPayment(
  { invoice_no: number, issued, po_number: poNumber, payment }: FrozenInvoice,
  translate: TranslateText,
): DocumentSection {
  return {
    title: translate('invoiceAndPayment'),
    facts: listFacts([
      [translate('fact.invoice'), number],
      [translate('fact.issued'), issued],
      [translate('fact.poNumber'), poNumber],
      [translate('fact.paid'), payment.paid],
      [translate('fact.gateway'), formatMethod(translate, payment.gateway)],
      [translate('fact.reference'), payment.reference],
    ]),
  }
}

/** Returns the section about what was bought. */
export function buildSubject(content: FrozenSubject, translate: TranslateText): DocumentSection {
  const { service, contract } = content
  const boughtFacts = buildOrderFacts(content, translate) ?? buildBackupFacts(content, translate)
  return {
    title: translate('subject'),
    facts: [
      ...listFacts([
        [translate('fact.service'), service.code],
        [translate('fact.name'), service.name],
        [translate('fact.number'), contract],
      ]),
      ...(boughtFacts ?? buildTrafficFacts(content, translate)),
    ],
  }
}

function buildOrderFacts({ order }: FrozenSubject, translate: TranslateText): DocumentFact[] | null {
  if (!order) return null
  const { type, users, user_mode: userMode, modules, module_names: names = {}, uat } = order
  return listFacts([
    [translate('fact.type'), translate(`type.${type}`)],
    [translate('fact.period'), formatDays(translate, order.period_start, order.period_end)],
    [translate('fact.users'), translate(`mode.${userMode}`, { users: String(users) })],
    [translate('fact.uat'), translate(uat === 1 ? 'yes' : 'no')],
    [translate('modules'), modules.map((code) => names[code] ?? code).join(translate('listSeparator'))],
  ])
}

function buildBackupFacts({ backup, currency }: FrozenSubject, translate: TranslateText): DocumentFact[] | null {
  if (!backup) return null
  const { pdb_type: type, period_start: start, period_end: end, annual } = backup
  return listFacts([
    [translate('fact.backup'), translate(`backups.${type}`)],
    [translate('fact.period'), formatDays(translate, start, end)],
    [translate('fact.annual'), formatSignedAmount(currency, annual)],
  ])
}

function buildTrafficFacts({ traffic, currency }: FrozenSubject, translate: TranslateText): DocumentFact[] {
  if (!traffic) return []
  const { month, pdb_traffic: measured, free, price } = traffic
  const charged = writeAmount(calculateExtraTraffic(readAmount(measured), readAmount(free)))
  const formatGb = (gb: string) => `${groupThousands(gb)} GB`
  return listFacts([
    [translate('fact.month'), month],
    [translate('gb.measured'), formatGb(measured)],
    [translate('gb.free'), formatGb(free)],
    [translate('gb.chargedShort'), formatGb(charged)],
    [translate('fact.price'), formatSignedAmount(currency, price)],
  ])
}

function buildTable({ lines, currency, order }: FrozenInvoice, translate: TranslateText): AmountTable {
  const namesByCode = new Map(Object.entries(order?.module_names ?? {}))
  return {
    title: translate('why'),
    heads: [translate('item'), translate('amount', { currency })],
    lines: lines.map((step, index) => ({
      text: formatStep(translate, step, namesByCode),
      amount: formatLineAmount(step.amount),
      isSum: isSum(step, lines[index + 1]),
    })),
  }
}

const formatLineAmount = (amount: string) =>
  amount.startsWith('-') ? `−${groupThousands(amount.slice(1))}` : groupThousands(amount)

function buildTotals(content: FrozenInvoice, translate: TranslateText): DocumentTotal[] {
  const { currency, pay_amount: paidAmount } = content
  const toPart = ([label, amount]: [string, string]): DocumentTotal => ({
    kind: 'part',
    label,
    value: formatSignedAmount(currency, amount),
  })
  return [
    ...listParts(content, translate).map(toPart),
    ...buildTotal(translate, { currency, amount: paidAmount }),
    ...listPaidParts(content, translate).map(toPart),
  ]
}

/** Returns how the total was paid: in two parts if credit paid some of it. A bank transfer is credit only while it is recorded. */
function listPaidParts({ payment, pay_amount: paidAmount }: FrozenInvoice, translate: TranslateText) {
  const { gateway, credit = '0.00' } = payment
  const rest = readAmount(paidAmount) - readAmount(credit)
  const parts: [string, string][] = []
  if (readAmount(credit) === 0n || gateway === 'transfer') parts.push([translate('total.paid'), paidAmount])
  else {
    parts.push([translate('total.credit'), credit])
    if (rest > 0n)
      parts.push([translate('total.method', { method: formatMethod(translate, gateway) }), writeAmount(rest)])
  }
  return parts
}

/** Returns the amounts that the total consists of, if there is more than one. */
function listParts({ lines, backup, amount, pay_amount: payAmount }: FrozenInvoice, translate: TranslateText) {
  const dueValues = lines.find(({ code }) => code === 'due')?.values ?? {}
  const { contract = amount, residual = '0.00' } = dueValues
  const parts: [string, string][] = []
  if (readAmount(residual) > 0n)
    parts.push([translate('total.contract'), contract], [translate('total.residual'), `-${residual}`])
  const discountAmount = readAmount(payAmount) - readAmount(amount)
  if (backup && discountAmount < 0n)
    parts.push(
      [translate('total.backup'), amount],
      [translate('total.discount', { percent: trimPercent(backup.discount) }), writeAmount(discountAmount)],
    )
  return parts
}
