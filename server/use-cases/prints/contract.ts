/** A contract on paper: between whom, about what, how its amount is made up, and what was paid for it (contracts 2, 9). */
import type { Selectable } from 'kysely'
import { languageOf } from '#domain/text.ts'
import type { ContractState } from '#domain/contracts.ts'
import { yearsBetween } from '#domain/period.ts'
import { readAmount } from '#domain/money.ts'
import type { ContractRecord } from '#server/db/orders/contracts.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'
import { html, type Markup } from '#server/text/html.ts'
import { printWords } from '#server/use-cases/prints/page.ts'
import {
  daysOf,
  type Fact,
  facts,
  type Frozen,
  type Occasion,
  paymentOf,
  printed,
  stepsTable,
  totals,
} from '#server/use-cases/prints/parts.ts'
import type { Translate } from '#server/text/i18n.ts'

interface Printed {
  contract: ContractRecord
  order: Pick<Selectable<OrderTable>, 'name' | 'description' | 'steps'>
  invoice: Frozen | null
  modules: Map<string, string>
  state: ContractState
  ordered: string
}

export function printContract(occasion: Occasion, document: Printed): string {
  const { contract, order, invoice, modules } = document
  const { currency } = contract
  const say = printWords(occasion.reader.language)
  return printed(occasion, {
    title: say('contract'),
    number: contract.code,
    about: order.name,
    body: [
      html`<h2>${say('subject')}</h2>
${facts(factsOf(document, say))}
<h2>${say('modules')}</h2>
${modulesTable(document, say)}
${stepsTable(say, currency, order.steps, modules)}
${totals(say, { currency, ...sumOf(document, say) })}
${invoice && paymentOf(say, invoice)}`,
    ],
  })
}

function factsOf({ contract, order, state, ordered }: Printed, say: Translate): Fact[] {
  const days = daysOf(say, contract.period_start, contract.period_end)
  const years = String(yearsBetween(contract.period_start, contract.period_end))
  const period = say(years === '1' ? 'years.one' : 'years.more', { days, years })
  return [
    [say('fact.number'), contract.code],
    [say('fact.status'), say(`status.${state}`)],
    [say('fact.type'), say(`type.${contract.type}`)],
    [say('fact.service'), contract.service_code],
    [say('fact.name'), order.name],
    [say('fact.desc'), order.description],
    [say('fact.period'), period],
    [say('fact.users'), say(`mode.${contract.user_mode}`, { users: String(contract.users) })],
    [say('fact.uat'), say(contract.uat === 1 ? 'yes' : 'no')],
    [say('fact.ordered'), ordered],
  ]
}

const modulesTable = ({ contract, modules }: Printed, say: Translate): Markup => html`<table>
<thead><tr><th>${say('code')}</th><th>${say('fact.name')}</th></tr></thead>
<tbody>${contract.modules.map((code) => moduleRow(code, modules.get(code) ?? code))}</tbody>
</table>`

const moduleRow = (code: string, name: string): Markup =>
  html`<tr><td>${code}</td><td lang="${languageOf(name)}">${name}</td></tr>`

function sumOf({ contract, invoice }: Printed, say: Translate) {
  const { contract_amount: before, residual_amount: residual, amount: whole } = contract
  const parts: [string, string][] = [
    [say('total.contract'), before],
    [say('total.residual'), `-${residual}`],
  ]
  return { parts: readAmount(residual) > 0n ? parts : [], whole, paid: invoice?.pay_amount ?? null }
}
