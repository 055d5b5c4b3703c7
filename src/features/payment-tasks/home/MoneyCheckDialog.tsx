import { useTranslation } from 'react-i18next'
import type { MoneyFault } from '#contract/staff/refunds.ts'
import { formatFaultValues } from '#domain/money-faults.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { useMoneyCheck } from '#patterns/useMoneyCheck.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'

interface MoneyCheckDialogProps {
  title: string
  faults: readonly MoneyFault[]
  onClose: () => void
  /** Called when a check that was started here has ended. */
  onChecked: () => void
}

/** Shows the faults that the check of all money found, each with its rule, company and figures, and checks again. */
export function MoneyCheckDialog({ title, faults, onClose, onChecked }: MoneyCheckDialogProps) {
  const { t } = useTranslation('money')
  const { isBusy, check } = useMoneyCheck(onChecked)
  const disabledReason = useOfflineReason(t('offline'))
  const describe = ({ rule, company_name: company, values }: MoneyFault) => {
    const text = values ? t(`fault.${rule}`, { replace: formatFaultValues(values) }) : t('unchecked')
    return company === null ? text : t('named', { subject: company, text })
  }
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      isWide
      action={
        <Button icon="refresh" {...{ isBusy, disabledReason }} onClick={check}>
          {t('checkAgain')}
        </Button>
      }
    >
      <div className="form">
        <p>{t(faults.length === 0 ? 'checkedGood' : 'text')}</p>
        <DescriptionList>
          {faults.map((fault) => (
            <DescriptionItem key={JSON.stringify(fault)} label={t(`rule.${fault.rule}`)}>
              {describe(fault)}
            </DescriptionItem>
          ))}
        </DescriptionList>
      </div>
    </Dialog>
  )
}
