import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import type { CustomerCredit } from '#contract/staff/bank-transfers.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { formatSum, groupByCurrency } from '#features/money/overview/sums.ts'
import { WithdrawDialog } from '#features/money/overview/WithdrawDialog.tsx'

interface CreditCardProps {
  credit: readonly CustomerCredit[]
  onChanged: () => void
}

/** The credit of each company, which the provider owes, with the sum of each currency. */
export function CreditCard({ credit, onChanged }: CreditCardProps) {
  const { t } = useTranslation('money-page')
  const id = useId()
  const [openRow, setOpenRow] = useState<CustomerCredit | null>(null)
  const close = (mustRead: boolean) => {
    setOpenRow(null)
    if (mustRead) onChanged()
  }
  const sums = groupByCurrency(credit.map(({ currency, balance }) => ({ currency, amount: balance, count: 1 })))
  return (
    <section className="card money-card money-wide" aria-labelledby={id}>
      <h2 id={id}>{t('credit.title')}</h2>
      {credit.length === 0 && <p className="field-help">{t('credit.none')}</p>}
      {credit.length > 0 && (
        <>
          <p className="money-totals">
            {sums.map(({ currency, total }) => (
              <span key={currency} className="money-total amount">
                {formatSum({ currency, amount: total })}
              </span>
            ))}
          </p>
          <ul className="money-credit">
            {credit.map((row) => (
              <CreditItem key={`${row.company_id} ${row.currency}`} row={row} onWithdraw={() => setOpenRow(row)} />
            ))}
          </ul>
        </>
      )}
      {openRow && <WithdrawDialog row={openRow} onClose={close} onDone={() => close(true)} />}
    </section>
  )
}

function CreditItem({ row, onWithdraw }: { row: CustomerCredit; onWithdraw: () => void }) {
  const { t } = useTranslation('money-page')
  const { company_id: companyId, company_name: company, currency, balance } = row
  const unsendableReason = useUnsendableReason(t('offline'))
  const heldAmount = readAmount(row.held)
  const available = readAmount(balance) - heldAmount
  return (
    <li>
      <Link className="money-link" to={`/app/invoice?company=${companyId}`} lang={getNameLang(company)}>
        {company}
      </Link>
      <span className="money-balance">
        <span className="amount">{formatSum({ currency, amount: balance })}</span>
        {heldAmount > 0n && (
          <span className="money-count">
            {t('credit.available', { amount: formatSum({ currency, amount: writeAmount(available) }) })}
          </span>
        )}
      </span>
      <Button
        aria-haspopup="dialog"
        disabledReason={unsendableReason ?? (available > 0n ? null : t('credit.allHeld'))}
        onClick={onWithdraw}
      >
        {t('credit.withdraw')} <span className="sr-only">{`${company} ${currency}`}</span>
      </Button>
    </li>
  )
}
