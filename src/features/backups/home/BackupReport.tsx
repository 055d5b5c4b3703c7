import { useSignedIn } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { knownOf, type OnReport, useReport } from '#ui/page/home-report.ts'
import { useTranslation } from 'react-i18next'
import '#features/backups/words.ts'
import { type BackupDuty, dutiesOf } from '#features/backups/home/backup-duties.ts'
import { useContractPages } from '#features/backups/home/useContractPages.ts'
import { backedServices } from '#features/backups/slice.ts'
import { serviceView, useBusinessToday } from '#features/backups/useBackups.ts'

/** What of the backups needs somebody who orders: from the device, so that it stands without a line. */
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
    const { kind, name, type, due, isUrgent, contractId } = duty
    const isPay = kind === 'unpaid' || kind === 'traffic' || kind === 'overdue'
    return {
      key: `${kind} ${type} ${contractId}`,
      at: due,
      icon: isPay ? ('price' as const) : ('alert' as const),
      isUrgent,
      title: t(`home.${kind}`, { name, due, type: t(`type.${type}`) }),
      text: t(`home.${kind}Text`),
      action: { label: t(isPay ? 'home.pay' : 'home.look'), path: pathOf(duty, pages?.get(contractId)) },
    }
  })
  useReport({ from: 'backups', state, duties, figures: {} }, onReport)
  return null
}

/** The page of the contract; where that is not known here, the list of contracts finds it by its code. */
const pathOf = ({ code }: BackupDuty, page: number | undefined) =>
  page === undefined ? `/app/contract?searchText=${code}` : `/app/contract/${page}?tab=subscribe`
