import { useTranslation } from 'react-i18next'
import { listBankTransfers } from '#contract/staff/bank-transfers.ts'
import { isAllowed } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import type { HomeDuty } from '#ui/page/home-report.ts'

/** Duty of the staff about bank transfers that belong to no company yet. Null for users who may not read them. */
export function useTransferDuty() {
  const { t } = useTranslation('payment-tasks')
  const { caller } = useSignedInSession()
  const canRead = isAllowed('orderingProviderAdmin', caller)
  const transferRecord = useRecord(listBankTransfers, canRead ? {} : null)
  const count = transferRecord.record?.open.length ?? 0
  const duties: HomeDuty[] =
    count === 0
      ? []
      : [
          {
            key: 'open transfers',
            at: '',
            icon: 'money',
            title: t('transfers.title', { count, number: formatNumber(count) }),
            text: t('transfers.text'),
            action: { label: t('transfers.show'), path: '/app/money?tab=transfers' },
          },
        ]
  return { transferRecord: canRead ? transferRecord : null, duties }
}
