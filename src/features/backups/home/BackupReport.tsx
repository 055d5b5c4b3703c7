import { useSignedIn } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { knownOf, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/backups/words.ts'
import { dutiesOf } from '#features/backups/home/backup-duties.ts'
import { useContractPages } from '#features/backups/home/useContractPages.ts'
import { backedServices } from '#features/backups/slice.ts'
import { serviceView, useBusinessToday } from '#features/backups/useBackups.ts'

/** What of services and their backups needs somebody who orders: from the device, so that it is there offline too. */
export function BackupReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('backups')
  const { companyId } = useSignedIn().caller
  const list = useList(backedServices, { scope: null, view: serviceView })
  const today = useBusinessToday()
  const pages = useContractPages(companyId)
  const rows = list.rows?.map(({ row }) => row).filter(({ company_id: company }) => company === companyId) ?? []
  const known = knownOf(list.freshness)
  // The business day begins for all at once (D31): without its zone nothing is said of days.
  const state = known !== 'known' || today !== null ? known : list.problem ? 'unknown' : 'asking'
  const duties = (today === null ? [] : dutiesOf(rows, today)).map((duty) => {
    const { kind, name, isUrgent, contractId, code } = duty
    const page = pages?.get(contractId)
    if (kind === 'deletion') {
      const { deleted, days, stops, isExpired } = duty
      const left = days === 0 ? t('home.today') : t('home.days', { count: days })
      const advice = stops === null ? t(isExpired ? 'home.stopped' : 'home.removed') : t('home.stops', { date: stops })
      return {
        key: `deletion ${code}`,
        at: stops ?? deleted,
        icon: 'alert' as const,
        isUrgent,
        title: t('home.deletion', { name, date: deleted }),
        text: `${left} · ${advice}`,
        action: { label: t(isExpired ? 'home.extend' : 'home.look'), path: pathOf(code, page) },
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
      action: { label: t('home.look'), path: pathOf(code, page, '?tab=subscribe') },
    }
  })
  useReport({ from: 'backups', state, duties, figures: {} }, onReport)
  return <LoadProblem problem={list.problem} onRetry={list.refetch} />
}

/** The page of the contract; where that is not known here, the list of contracts finds it by its code. */
const pathOf = (code: string, page: number | undefined, tab = '') =>
  page === undefined ? `/app/contract?searchText=${code}` : `/app/contract/${page}${tab}`
