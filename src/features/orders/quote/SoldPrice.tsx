import { useState } from 'react'
import { groupThousands } from '#domain/money.ts'
import { Amount, formatSigned } from '#ui/display/Amount.tsx'
import { useStoredSwitch } from '#ui/display/useStoredSwitch.ts'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'
import { findPricedContract, buildSoldRows, type PricedSale, type SoldRow } from '#features/orders/quote/sold-rows.ts'
import { describeStep } from '#features/orders/quote/describe-step.ts'
import { JoiningModuleRows } from '#features/orders/quote/JoiningModuleRows.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'

interface Props {
  /** An unpaid order has no `pay_amount`. */
  contract: PricedSale
  history: readonly PricedSale[]
  namesByCode: ReadonlyMap<string, string>
  /** Hidden modules that are added automatically and are free (D5). */
  joiningModules: readonly { code: string; name: string }[]
}

/**
 * Shows the price at which a contract was sold, independent of the current list: the fee of a year, then what this order costs. The rows add
 * up to the total. Of a contract they are closed at first, and the choice is kept on this device for all contracts. Of an unpaid order they are open.
 */
export function SoldPrice({ contract, history, namesByCode, joiningModules }: Props) {
  const { t } = useTranslation('contract')
  const storedState = useStoredSwitch('portal.soldPrice', () => false)
  const unpaidState = useState(true)
  const openState = contract.pay_amount === null ? unpaidState : storedState
  const rows = buildSoldRows(contract, history)
  const { currency, price_date: ownDate } = contract
  const date = findPricedContract(contract, history)?.price_date ?? ownDate
  const annualRows = rows.filter(({ kind, step }) => kind === 'part' || step.code === 'annual')
  const annualSum = annualRows.filter(({ kind }) => kind === 'sum')
  const orderRows = rows.filter((row) => !annualRows.includes(row))
  const renderRow = (row: SoldRow) => <SoldPriceRow key={getRowKey(row)} row={row} namesByCode={namesByCode} />
  const label = annualSum[0] ? (
    <span>
      {t('field.annual')} <Amount currency={currency} amount={annualSum[0].step.amount} /> · {t('sold.how')}
    </span>
  ) : (
    t('sold.title')
  )
  return (
    <Disclosure className="order-sold" label={label} openState={openState}>
      {() => (
        <div className="order-group">
          <p className="field-help">{t('modulePrices', { currency, date })}</p>
          <ul className="order-modules sold">
            {annualRows.filter((row) => !annualSum.includes(row)).map(renderRow)}
            <JoiningModuleRows modules={joiningModules} />
            {annualSum.map(renderRow)}
            {orderRows.map(renderRow)}
            {contract.pay_amount !== null && (
              <li className="total">
                <span>{t('sold.paid')}</span>
                <span className="figure">{groupThousands(contract.pay_amount)}</span>
              </li>
            )}
          </ul>
        </div>
      )}
    </Disclosure>
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
