/** Builds the values of mails about refunds, disputes, and faults that the check of all money found. */
import { groupThousands } from '#domain/money.ts'
import { formatFaultValues } from '#domain/money-faults.ts'
import { toTimestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/money.json' with { type: 'json' }
import zh from '#locales/zh/money.json' with { type: 'json' }
import enRefunds from '#locales/en/refunds.json' with { type: 'json' }
import zhRefunds from '#locales/zh/refunds.json' with { type: 'json' }
import type { DatabaseHandle } from '#server/db/database.ts'
import { type DisputeRecord, findDispute } from '#server/db/payments/disputes.ts'
import { findMoneyCheck } from '#server/db/payments/money-checks.ts'
import { findRefund, isBeyondPayment, type RefundRecord } from '#server/db/payments/refunds.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'
import { createTranslator } from '#server/text/translator.ts'
import type { AppContext } from '#server/context/context.ts'
import type { MoneyMailTemplate, MoneyMailRequest, RefundMail } from '#server/use-cases/mail/mail-kinds.ts'
import { preventLinks } from '#server/use-cases/mail-words/mail-templates.ts'

interface MoneyMailValues {
  service: string
  customer: string
  amount: string
  date: string
  invoice: string
  matter: string
  path: string
  template?: MoneyMailTemplate | 'payment-dispute'
}

interface MailFormat {
  language: Language
  /** Without seconds, in the business time zone. */
  formatTime: (time: number) => string
  getPath: (page: 'home' | 'invoice') => string
}

const faultTexts = { en, zh }
const reasonTexts: Record<Language, Record<string, string>> = {
  en: enRefunds.gatewayReason,
  zh: zhRefunds.gatewayReason,
}

/** Returns the text of a gateway's code for a reason. Other reasons, such as sentences of a gateway, are returned as they are. */
const describeReason = (reason: string, language: Language): string =>
  (Object.hasOwn(reasonTexts[language], reason) ? reasonTexts[language][reason] : null) ?? reason

/** Returns a sentence with the company, whose name was entered by its users. */
function describeFault({ rule, company_name: company, values }: MoneyCheckFault, language: Language): string {
  const translate = createTranslator(faultTexts, language)
  const text = values ? translate(`fault.${rule}`, formatFaultValues(values)) : translate('unchecked')
  const subject = company === null ? translate(`rule.${rule}`) : preventLinks(company)
  return translate('named', { subject, text })
}

/** Returns null if there is no longer a reason for the mail. Runs as the system role. */
export async function readMoneyMailValues(
  db: DatabaseHandle,
  { config }: AppContext,
  request: MoneyMailRequest,
  language: Language,
): Promise<MoneyMailValues | null> {
  const format: MailFormat = {
    language,
    formatTime: (time) => toTimestamp(config.timeZone, time).slice(0, 16),
    getPath: (page) => `/saas/app/${page}?lang=${language}`,
  }
  if (request.mail === 'money-fault') return await readFaultValues(db, request.checkId, format)
  if (request.mail === 'payment-dispute') return await readDisputeValues(db, request.disputeId, format)
  return await readRefundValues(db, request, format)
}

async function readFaultValues(
  db: DatabaseHandle,
  checkId: number,
  { language, formatTime, getPath }: MailFormat,
): Promise<MoneyMailValues | null> {
  const check = await findMoneyCheck(db, checkId)
  if (!check) return null
  const matter = check.faults.map((fault) => describeFault(fault, language)).join(' ')
  return {
    service: '',
    customer: '',
    amount: '',
    invoice: '',
    date: formatTime(check.create_time),
    matter: matter.slice(0, 500),
    path: getPath('home'),
  }
}

async function readDisputeValues(
  db: DatabaseHandle,
  disputeId: number,
  { language, formatTime, getPath }: MailFormat,
): Promise<MoneyMailValues | null> {
  const dispute = await findDispute(db, disputeId)
  if (dispute?.state !== 'open') return null
  const { code: service, company_name: customer, currency, amount, respond_by, create_time } = dispute
  return {
    service,
    customer,
    amount: `${currency} ${groupThousands(amount)}`,
    date: formatTime(respond_by ?? create_time),
    invoice: dispute.invoices.join(', '),
    matter: describeReason(dispute.reason, language),
    path: getPath('home'),
    template: chooseDisputeTemplate(dispute),
  }
}

function chooseDisputeTemplate({
  is_inquiry: isInquiry,
  respond_by: respondBy,
}: DisputeRecord): MoneyMailTemplate | 'payment-dispute' {
  if (respondBy === null) return isInquiry ? 'payment-inquiry-undated' : 'payment-dispute-undated'
  return isInquiry ? 'payment-inquiry' : 'payment-dispute'
}

async function readRefundValues(
  db: DatabaseHandle,
  { mail, refundId }: Extract<MoneyMailRequest, { refundId: number }>,
  { language, formatTime, getPath }: MailFormat,
): Promise<MoneyMailValues | null> {
  const refund = await findRefund(db, refundId)
  const isForCustomer = mail === 'invoice-refunded'
  const hasFailed = mail === 'refund-failed'
  if (!refund || !isAbout(mail, refund)) return null
  const { code: service, company_name: customer, currency, end_time, create_time } = refund
  // A customer gets one mail for each credit note.
  const amount = isForCustomer ? refund.amount : refund.total
  return {
    service,
    customer,
    amount: `${currency} ${groupThousands(amount)}`,
    date: refund.transfer_date ?? formatTime(end_time ?? create_time),
    invoice: isForCustomer ? (refund.invoice_code ?? '') : refund.invoice_codes.join(', '),
    matter: hasFailed ? describeReason(refund.problem ?? '', language) : (refund.credit_note_code ?? ''),
    path: getPath(isForCustomer ? 'invoice' : 'home'),
    ...(isForCustomer ? chooseRefundTemplate(refund) : chooseStaffTemplate(refund)),
  }
}

function isAbout(mail: RefundMail, refund: RefundRecord): boolean {
  if (mail === 'refund-failed') return refund.problem !== null && refund.end_time !== null
  return refund.state === 'done' || (mail === 'gateway-refund' && isBeyondPayment(refund))
}

function chooseStaffTemplate(refund: RefundRecord): Pick<MoneyMailValues, 'template'> {
  if (isBeyondPayment(refund)) return { template: 'refund-beyond' }
  if (refund.problem === null) return {}
  if (refund.state === 'done') return { template: 'refund-returned' }
  return refund.cause === 'staff' ? {} : { template: 'refund-returned-uninvoiced' }
}

/** After a lost dispute the bank has returned the money before, so the mail must not announce a refund to the card. */
function chooseRefundTemplate({ cause, route }: RefundRecord): Pick<MoneyMailValues, 'template'> {
  if (cause === 'dispute') return { template: 'dispute-lost' }
  return route === 'credit' ? { template: 'credit-added' } : {}
}
