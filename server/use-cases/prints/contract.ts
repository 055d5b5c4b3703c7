/** Renders the printed contract (contracts 2, 9). */
import type { Selectable } from 'kysely'
import { detectLanguage } from '#domain/text.ts'
import type { ContractState } from '#domain/contracts.ts'
import { countYearsBetween } from '#domain/plain-dates.ts'
import { readAmount } from '#domain/money.ts'
import type { ContractRecord } from '#server/db/orders/contracts.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'
import { formatDays } from '#server/use-cases/documents/fee-steps.ts'
import type { FrozenInvoice } from '#server/use-cases/documents/frozen-content.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'
import {
  type PrintFact,
  renderFacts,
  type PrintContext,
  renderPayment,
  renderDocument,
  renderSteps,
  renderTotals,
} from '#server/use-cases/prints/document-parts.ts'
import type { TranslateText } from '#server/text/translator.ts'

interface PrintedContract {
  contract: ContractRecord
  order: Pick<Selectable<OrderTable>, 'name' | 'description' | 'steps'>
  invoice: FrozenInvoice | null
  modules: Map<string, string>
  state: ContractState
  orderedTime: string
}

export function printContract(printContext: PrintContext, document: PrintedContract): string {
  const { contract, order, invoice, modules } = document
  const { currency } = contract
  const translate = createPrintTranslator(printContext.reader.language)
  return renderDocument(printContext, {
    title: translate('contract'),
    number: contract.code,
    subject: order.name,
    body: [
      html`<h2>${translate('subject')}</h2>
${renderFacts(getContractFacts(document, translate))}
<h2>${translate('modules')}</h2>
${renderModulesTable(document, translate)}
${renderSteps(translate, currency, order.steps, modules)}
${renderTotals(translate, { currency, ...getTotals(document, translate) })}
${invoice && renderPayment(translate, invoice)}`,
    ],
  })
}

function getContractFacts(
  { contract, order, state, orderedTime }: PrintedContract,
  translate: TranslateText,
): PrintFact[] {
  const days = formatDays(translate, contract.period_start, contract.period_end)
  const years = String(countYearsBetween(contract.period_start, contract.period_end))
  const period = translate(years === '1' ? 'years.one' : 'years.more', { days, years })
  return [
    [translate('fact.number'), contract.code],
    [translate('fact.status'), translate(`status.${state}`)],
    [translate('fact.type'), translate(`type.${contract.type}`)],
    [translate('fact.service'), contract.service_code],
    [translate('fact.name'), order.name],
    [translate('fact.desc'), order.description],
    [translate('fact.period'), period],
    [translate('fact.users'), translate(`mode.${contract.user_mode}`, { users: String(contract.users) })],
    [translate('fact.uat'), translate(contract.uat === 1 ? 'yes' : 'no')],
    [translate('fact.ordered'), orderedTime],
  ]
}

const renderModulesTable = (
  { contract, modules }: PrintedContract,
  translate: TranslateText,
): HtmlMarkup => html`<table>
<thead><tr><th>${translate('code')}</th><th>${translate('fact.name')}</th></tr></thead>
<tbody>${contract.modules.map((code) => renderModuleRow(code, modules.get(code) ?? code))}</tbody>
</table>`

const renderModuleRow = (code: string, name: string): HtmlMarkup =>
  html`<tr><td>${code}</td><td lang="${detectLanguage(name)}">${name}</td></tr>`

function getTotals({ contract, invoice }: PrintedContract, translate: TranslateText) {
  const { contract_amount: contractAmount, residual_amount: residualAmount, amount: totalAmount } = contract
  const partialAmounts: [string, string][] = [
    [translate('total.contract'), contractAmount],
    [translate('total.residual'), `-${residualAmount}`],
  ]
  return {
    partialAmounts: readAmount(residualAmount) > 0n ? partialAmounts : [],
    totalAmount,
    paidAmount: invoice?.pay_amount ?? null,
  }
}
