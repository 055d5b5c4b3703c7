import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readMoneyCheck } from '#contract/staff/refunds.ts'
import { useMoneyCheck } from '#patterns/useMoneyCheck.ts'
import { useRecord } from '#state/use-record.ts'
import type { HomeDuty } from '#ui/page/home-report.ts'
import { MoneyCheckDialog } from '#features/payment-tasks/home/MoneyCheckDialog.tsx'

/** Duty of the staff if the daily check of all money found faults, or did not run. */
export function useMoneyCheckDuty(disabledReason: string | null) {
  const { t } = useTranslation('money')
  const checkRecord = useRecord(readMoneyCheck, {})
  const { record, refetch } = checkRecord
  const [isOpen, setIsOpen] = useState(false)
  const { isBusy, check } = useMoneyCheck(() => void refetch())
  const faults = record?.faults ?? []
  const title = t('foundTitle', { count: faults.length })
  const time = record?.time?.slice(0, 16) ?? ''
  const common = { at: '', icon: 'alert', isUrgent: true } as const
  const duties: HomeDuty[] = []
  if (faults.length > 0) {
    const action = { label: t('details'), run: () => setIsOpen(true) }
    duties.push({ ...common, key: 'money faults', title, text: t('foundText', { time }), action })
  }
  if (record?.is_late) {
    const action = { label: t('checkAgain'), run: check, disabledReason: isBusy ? t('checking') : disabledReason }
    duties.push({ ...common, key: 'money late', title: t('lateTitle'), text: t('lateText', { time }), action })
  }
  return {
    checkRecord,
    duties,
    dialog: isOpen && (
      <MoneyCheckDialog
        title={title}
        faults={faults}
        onClose={() => setIsOpen(false)}
        onChecked={() => void refetch()}
      />
    ),
  }
}
