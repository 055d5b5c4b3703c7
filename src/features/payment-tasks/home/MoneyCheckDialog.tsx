import { useTranslation } from 'react-i18next'
import type { MoneyFault } from '#contract/staff/refunds.ts'
import { formatFaultValues } from '#domain/money-faults.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'

interface MoneyCheckDialogProps {
  title: string
  faults: readonly MoneyFault[]
  onClose: () => void
}

/** Shows the faults that the check of all money found, each with its rule, company and figures. */
export function MoneyCheckDialog({ title, faults, onClose }: MoneyCheckDialogProps) {
  const { t } = useTranslation('money')
  const describe = ({ rule, company_name: company, values }: MoneyFault) => {
    const text = values ? t(`fault.${rule}`, { replace: formatFaultValues(values) }) : t('unchecked')
    return company === null ? text : t('named', { subject: company, text })
  }
  return (
    <Dialog open title={title} onClose={onClose} isWide>
      <div className="form">
        <p>{t('text')}</p>
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
