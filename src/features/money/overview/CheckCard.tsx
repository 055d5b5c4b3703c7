import { type ComponentType, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type MoneyFault, readMoneyCheck } from '#contract/staff/refunds.ts'
import { useMoneyCheck } from '#patterns/useMoneyCheck.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useRecord } from '#state/use-record.ts'
import { Button } from '#ui/display/Button.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

/** Shows the faults. The app passes it, because it belongs to the payment tasks. */
export type FaultDialog = ComponentType<{
  title: string
  faults: readonly MoneyFault[]
  onClose: () => void
  onChecked: () => void
}>

/** The result of the daily check of all money. */
export function CheckCard({ FaultDialog }: { FaultDialog: FaultDialog }) {
  const { t } = useTranslation('money-page')
  const id = useId()
  const { record, refetch } = useRecord(readMoneyCheck, {})
  const { isBusy, check } = useMoneyCheck(() => void refetch())
  const disabledReason = useOfflineReason(t('offline'))
  const [isOpen, setIsOpen] = useState(false)
  const count = record?.faults.length ?? 0
  const title = t('check.faults', { count })
  return (
    <section className="card money-card" aria-labelledby={id}>
      <h2 id={id}>{t('check.title')}</h2>
      <p>{t('check.text')}</p>
      {record && record.time === null && <p>{t('check.never')}</p>}
      {record && record.time !== null && (
        <p className="money-check">
          <Tag tone={count > 0 ? 'danger' : 'positive'}>{count > 0 ? title : t('check.good')}</Tag>
          <BusinessTime time={record.time} />
          {record.is_late && <Tag tone="warning">{t('check.late')}</Tag>}
        </p>
      )}
      <div className="money-check">
        {count > 0 && (
          <Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
            {t('check.show')}
          </Button>
        )}
        <Button icon="refresh" {...{ isBusy, disabledReason }} onClick={check}>
          {t('check.now')}
        </Button>
      </div>
      {isOpen && record && (
        <FaultDialog
          title={title}
          faults={record.faults}
          onClose={() => setIsOpen(false)}
          onChecked={() => void refetch()}
        />
      )}
    </section>
  )
}
