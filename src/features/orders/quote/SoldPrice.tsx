import { groupThousands } from '#domain/money.ts'
import { formatSigned } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import { findPricedContract, buildSoldRows, type SoldRow } from '#features/orders/quote/sold-rows.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { describeStep } from '#features/orders/quote/describe-step.ts'
import { JoiningModuleRows } from '#features/orders/quote/JoiningModuleRows.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'

interface Props {
  contract: ContractRow
  history: readonly ContractRow[]
  namesByCode: ReadonlyMap<string, string>
  /** Hidden modules that are added automatically and are free (D5). */
  joiningModules: readonly { code: string; name: string }[]
}

/** Shows the price at which a contract was sold, independent of the current list. The rows add up to the total. */
export function SoldPrice({ contract, history, namesByCode, joiningModules }: Props) {
  const { t } = useTranslation('contract')
  const rows = buildSoldRows(contract, history)
  const { currency, price_date: ownDate } = contract
  const date = findPricedContract(contract, history)?.price_date ?? ownDate
  const annualRows = rows.filter(({ kind, step }) => kind === 'part' || step.code === 'annual')
  const annualSum = annualRows.filter(({ kind }) => kind === 'sum')
  const orderRows = rows.filter((row) => !annualRows.includes(row))
  const renderRow = (row: SoldRow) => <SoldPriceRow key={getRowKey(row)} row={row} namesByCode={namesByCode} />
  return (
    <div className="order-group">
      <h3>{t('sold.title')}</h3>
      <p className="field-help">{t('modulePrices', { currency, date })}</p>
      {/* The price of a year, and next to it what this order costs. */}
      <div className="order-sold">
        <ul className="order-modules sold">
          {annualRows.filter((row) => !annualSum.includes(row)).map(renderRow)}
          <JoiningModuleRows modules={joiningModules} />
          {annualSum.map(renderRow)}
        </ul>
        {(orderRows.length > 0 || contract.pay_amount !== null) && (
          <ul className="order-modules sold">
            {orderRows.map(renderRow)}
            {contract.pay_amount !== null && (
              <li className="total">
                <span>{t('sold.paid')}</span>
                <span className="figure">{groupThousands(contract.pay_amount)}</span>
              </li>
            )}
          </ul>
        )}
      </div>
    </div>
  )
}

const getRowKey = ({ kind, step: { code, values } }: SoldRow) => `${kind} ${code} ${values.code ?? values.from ?? ''}`

function SoldPriceRow({ row: { kind, step }, namesByCode }: { row: SoldRow; namesByCode: Props['namesByCode'] }) {
  const { t } = useTranslation('contract')
  const { t: tWizard } = useTranslation('wizard')
  const { code, values, amount } = step
  const text =
    kind === 'total'
      ? t('sold.total')
      : code === 'years'
        ? t('sold.years', { annual: groupThousands(values.annual ?? '0.00'), count: Number(values.years) })
        : describeStep(step, tWizard, namesByCode)
  return (
    <li className={kind === 'part' ? undefined : kind}>
      <span>
        <span lang={code === 'module' ? getNameLang(text) : undefined}>{text}</span>{' '}
        {code === 'module' && <code>{values.code}</code>}
      </span>
      <span className="figure">{kind === 'deduction' ? formatSigned(`-${amount}`) : groupThousands(amount)}</span>
    </li>
  )
}
