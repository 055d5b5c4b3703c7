import { useTranslation } from 'react-i18next'
import type { CreditEntry, readCredit } from '#contract/invoices.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { groupThousands, readAmount } from '#domain/money.ts'
import { Amount, formatAmount, formatSigned } from '#ui/display/Amount.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

/** More entries are on the server. */
const maxEntries = 100

interface CreditDrawerProps {
  credit: OutputOf<typeof readCredit>
  onClose: () => void
}

/** Shows the balances of a company and what changed them, the latest first. */
export function CreditDrawer({ credit: { balances, entries }, onClose }: CreditDrawerProps) {
  const { t } = useTranslation('invoices')
  return (
    <Dialog open side="right" title={t('credit.title')} onClose={onClose} cancel={t('credit.close')}>
      <div className="form">
        <p>{t('credit.text')}</p>
        <DescriptionList>
          {balances.map(({ currency, balance, held: heldAmount }) => (
            <DescriptionItem key={currency} label={currency}>
              <Amount currency={currency} amount={balance} />
              {readAmount(heldAmount) > 0n && (
                <p className="field-help">{t('credit.held', { amount: formatAmount(currency, heldAmount) })}</p>
              )}
            </DescriptionItem>
          ))}
        </DescriptionList>
        <h3>{t('credit.entries')}</h3>
        {entries.length === 0 && <p>{t('credit.none')}</p>}
        <ol className="credit-entries">
          {entries.map((entry) => (
            <EntryItem key={entry.id} entry={entry} />
          ))}
        </ol>
        {entries.length >= maxEntries && <p className="field-help">{t('credit.latest')}</p>}
      </div>
    </Dialog>
  )
}

function EntryItem({ entry }: { entry: CreditEntry }) {
  const { t } = useTranslation('invoices')
  const { currency, cause, amount, balance, time, reference, reason } = entry
  return (
    <li>
      <span className="credit-cause">{t(`credit.cause.${cause}`)}</span>
      <span className="amount">{`${currency} ${formatSigned(amount)}`}</span>
      <span className="credit-about">
        {reference !== '' && <span className="invoice-code">{reference}</span>}
        {reason !== null && <span>{reason}</span>}
        <BusinessTime time={time} />
      </span>
      <span className="credit-after amount">{t('credit.after', { amount: groupThousands(balance) })}</span>
    </li>
  )
}
