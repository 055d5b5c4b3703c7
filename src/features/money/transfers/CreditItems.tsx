import { useTranslation } from 'react-i18next'
import type { PayableItem } from '#contract/staff/bank-transfers.ts'
import { type Currency, type Hundredths, writeAmount } from '#domain/money.ts'
import { maxPaidItems } from '#domain/payments.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { type CreditSum, formatItemKey } from '#features/money/transfers/credit-sum.ts'

interface CreditItemsProps {
  currency: Currency
  items: readonly PayableItem[]
  /** The company has unpaid items in other currencies too. */
  hasOtherItems: boolean
  keys: readonly string[]
  sum: CreditSum
  onChange: (keys: readonly string[]) => void
}

/** The unpaid items of the company as check boxes, and the sum: transfer and credit, less the items. */
export function CreditItems({ currency, items, hasOtherItems, keys, sum, onChange }: CreditItemsProps) {
  const { t } = useTranslation('bank-transfers')
  return (
    <>
      <fieldset className="money-items">
        <legend>{t('credit.items')}</legend>
        {items.length === 0 && <p>{t('credit.noItems', { currency })}</p>}
        {items.map((item) => (
          <ItemBox key={formatItemKey(item)} {...{ item, keys, onChange }} />
        ))}
        {hasOtherItems && <p className="field-help">{t('credit.otherCurrency', { currency })}</p>}
      </fieldset>
      <SumTable currency={currency} sum={sum} />
      <p role="status">{useSumText(currency, sum)}</p>
    </>
  )
}

interface ItemBoxProps extends Pick<CreditItemsProps, 'keys' | 'onChange'> {
  item: PayableItem
}

function ItemBox({ item, keys, onChange }: ItemBoxProps) {
  const { t } = useTranslation('bank-transfers')
  const key = formatItemKey(item)
  const isSelected = keys.includes(key)
  const isFull = !isSelected && keys.length >= maxPaidItems
  return (
    <label className="money-item">
      <input
        type="checkbox"
        name={key}
        checked={isSelected}
        disabled={isFull}
        onChange={({ target }) =>
          onChange(target.checked ? [...keys, key] : keys.filter((selectedKey) => selectedKey !== key))
        }
      />
      <span>
        {t('credit.item', { item: t(`item.${item.type}`), code: item.service_code })}
        {item.due !== null && <span className="field-help">{t('credit.due', { time: item.due.slice(0, 16) })}</span>}
      </span>
      <Amount currency={item.currency} amount={item.amount} />
    </label>
  )
}

function SumTable({ currency, sum }: Pick<CreditItemsProps, 'currency' | 'sum'>) {
  const { t } = useTranslation('bank-transfers')
  const format = (amount: Hundredths) =>
    amount < 0n
      ? `${currency} −${formatAmount(currency, writeAmount(-amount)).slice(currency.length + 1)}`
      : formatAmount(currency, writeAmount(amount))
  const rows = [
    ['transfer', sum.transfer],
    ['balance', sum.balance],
    ['items', -sum.items],
    ['rest', sum.rest],
  ] as const
  return (
    <table className="money-sum">
      <caption className="sr-only">{t('sum.caption')}</caption>
      <tbody>
        {rows.map(([name, amount]) => (
          <tr key={name}>
            <th scope="row">{t(`sum.${name}`)}</th>
            <td className="amount">{format(amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Says what will happen. */
function useSumText(currency: Currency, { transfer, items, rest }: CreditSum): string {
  const { t } = useTranslation('bank-transfers')
  const format = (amount: Hundredths) => formatAmount(currency, writeAmount(amount))
  if (items === 0n) return t('sum.allCredit', { amount: format(transfer) })
  if (rest === 0n) return t('sum.exact')
  return rest > 0n ? t('sum.over', { amount: format(rest) }) : t('sum.under', { amount: format(-rest) })
}
