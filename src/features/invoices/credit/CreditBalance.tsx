import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readCredit } from '#contract/invoices.ts'
import { buildCreditInput } from '#patterns/useCompanyCredit.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { CreditDrawer } from '#features/invoices/credit/CreditDrawer.tsx'

interface CreditBalanceProps {
  companyId: number
  /** How often the invoices were read again. The credit is then read again too, because a refund may have changed it. */
  readCount: number
}

/** The credit of a company in each currency, with a button for its entries. Shows nothing if the company never had credit. */
export function CreditBalance({ companyId, readCount }: CreditBalanceProps) {
  const { t } = useTranslation('invoices')
  const { user } = useSignedInSession()
  const { record, refetch } = useRecord(readCredit, buildCreditInput(companyId, user.company_id))
  useEffect(() => {
    if (readCount > 0) void refetch()
  }, [readCount, refetch])
  const [isOpen, setIsOpen] = useState(false)
  if (!record || record.balances.length === 0) return null
  return (
    <section className="invoice-credit" aria-label={t('credit.label')}>
      <span className="invoice-credit-label">{t('credit.label')}</span>
      {record.balances.map(({ currency, balance }) => (
        <Amount key={currency} currency={currency} amount={balance} />
      ))}
      <Button kind="plain" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {t('credit.show')}
      </Button>
      {isOpen && <CreditDrawer credit={record} onClose={() => setIsOpen(false)} />}
    </section>
  )
}
