import { useBusinessToday } from '#patterns/useSettings.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { getKnownState, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/backups/translations.ts'
import { listBackupDuties } from '#features/backups/home/backup-duties.ts'
import { useContractPages } from '#features/backups/home/useContractPages.ts'
import { backedServices } from '#features/backups/slice.ts'
import { serviceView } from '#features/backups/backup-hooks.ts'

/** Reports duties about services and backups to users who order. Read from the device, so it works offline. */
export function BackupReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('backups')
  const { companyId } = useSignedInSession().caller
  const list = useList(backedServices, { scope: null, view: serviceView })
  const today = useBusinessToday()
  const orderIdsByContract = useContractPages(companyId)
  const rows = list.rows?.map(({ row }) => row).filter(({ company_id: company }) => company === companyId) ?? []
  const dataState = getKnownState(list.freshness)
  // Without the business time zone (D31) no day can be compared.
  const state = dataState !== 'known' || today !== null ? dataState : list.problem ? 'unknown' : 'loading'
  const duties = (today === null ? [] : listBackupDuties(rows, today)).map((duty) => {
    const { kind, name, isUrgent, contractId, code } = duty
    const orderId = orderIdsByContract?.get(contractId)
    if (kind === 'deletion') {
      const { deletionDate, days, stopDate, isExpired } = duty
      const daysLeftText = days === 0 ? t('home.today') : t('home.days', { count: days })
      const advice =
        stopDate === null ? t(isExpired ? 'home.stopped' : 'home.removed') : t('home.stops', { date: stopDate })
      return {
        key: `deletion ${code}`,
        at: stopDate ?? deletionDate,
        icon: 'alert' as const,
        isUrgent,
        title: t('home.deletion', { name, date: deletionDate }),
        text: `${daysLeftText} · ${advice}`,
        action: { label: t(isExpired ? 'home.extend' : 'home.look'), path: toContractPath(code, orderId) },
      }
    }
    const { type } = duty
    return {
      key: `${kind} ${type} ${contractId}`,
      at: '',
      icon: 'alert' as const,
      isUrgent,
      title: t(`home.${kind}`, { name, type: t(`type.${type}`) }),
      text: t(`home.${kind}Text`),
      action: { label: t('home.look'), path: toContractPath(code, orderId, '?tab=subscribe') },
    }
  })
  useReport({ source: 'backups', state, duties, figures: {} }, onReport)
  return <LoadProblem problem={state === 'known' ? null : list.problem} onRetry={list.refetch} />
}

/** Returns the page of the contract, or the list searched by its code if the device does not know the page. */
const toContractPath = (code: string, orderId: number | undefined, tab = '') =>
  orderId === undefined ? `/app/contract?searchText=${code}` : `/app/contract/${orderId}${tab}`
