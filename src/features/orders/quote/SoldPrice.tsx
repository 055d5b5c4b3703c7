import { grouped } from '#domain/money.ts'
import { useTranslation } from 'react-i18next'
import { pricedBy, soldRows, type SoldRow } from '#features/orders/quote/sold-rows.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { signed } from '#features/orders/quote/AmountChange.tsx'
import { describeStep } from '#features/orders/quote/FeeBreakdown.tsx'
import { langOf } from '#ui/i18n/name-language.ts'

interface Props {
  contract: ContractRow
  /** With those that it replaced. */
  history: readonly ContractRow[]
  /** Of modules, by code. */
  names: ReadonlyMap<string, string>
  /** Hidden modules that come along and cost nothing (D5). */
  joining: readonly { code: string; name: string }[]
}

/** What a contract was sold at, whatever today's list says: the rows add up to the total of the sale. */
export function SoldPrice({ contract, history, names, joining }: Props) {
  const { t } = useTranslation('contract')
  const rows = soldRows(contract, history)
  const { currency, price_date: own } = contract
  const date = pricedBy(contract, history)?.price_date ?? own
  const parts = rows.filter(({ kind }) => kind === 'part')
  return (
    <div className="order-group">
      <h3>{t('sold.title')}</h3>
      <p className="field-help">{t('modulePrices', { currency, date })}</p>
      <ul className="order-modules sold">
        {parts.map((row) => (
          <Row key={keyOf(row)} row={row} names={names} />
        ))}
        {joining.map(({ code, name }) => (
          <li key={code} className="joining">
            <span lang={langOf(name)}>{name}</span>
            <span>{t('joins')}</span>
          </li>
        ))}
        {rows.slice(parts.length).map((row) => (
          <Row key={keyOf(row)} row={row} names={names} />
        ))}
        {contract.pay_amount !== null && (
          <li className="total">
            <span>{t('sold.paid')}</span>
            <span className="figure">{grouped(contract.pay_amount)}</span>
          </li>
        )}
      </ul>
    </div>
  )
}

const keyOf = ({ kind, step: { code, values } }: SoldRow) => `${kind} ${code} ${values.code ?? values.from ?? ''}`

function Row({ row: { kind, step }, names }: { row: SoldRow; names: Props['names'] }) {
  const { t } = useTranslation('contract')
  const { t: wizard } = useTranslation('wizard')
  const { code, values, amount } = step
  const text =
    kind === 'total'
      ? t('sold.total')
      : code === 'years'
        ? t('sold.years', { annual: grouped(values.annual ?? '0.00'), count: Number(values.years) })
        : describeStep(step, wizard, names)
  return (
    <li className={kind === 'part' ? undefined : kind}>
      <span>
        <span lang={code === 'module' ? langOf(text) : undefined}>{text}</span>{' '}
        {code === 'module' && <code>{values.code}</code>}
      </span>
      <span className="figure">{kind === 'deduction' ? signed(`-${amount}`) : grouped(amount)}</span>
    </li>
  )
}
