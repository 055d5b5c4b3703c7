import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { useSignedIn } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { Sheet } from '#features/backups/BackupStyles.tsx'
import { type Duty, dutiesOf } from '#features/backups/home/backup-duties.ts'
import { useContractPages } from '#features/backups/home/useContractPages.ts'
import { backedServices } from '#features/backups/slice.ts'
import { serviceView, useBusinessToday } from '#features/backups/useBackups.ts'

interface Props {
  onDue: (due: 'some' | 'none' | 'asking' | 'unknown') => void
}

/** What of the backups needs somebody who orders: from the device, so that it stands without a line. */
export function BackupDuties({ onDue }: Props) {
  const { t } = useTranslation('backups')
  const { caller } = useSignedIn()
  const list = useList(backedServices, { scope: null, view: serviceView })
  const today = useBusinessToday()
  const pages = useContractPages(caller.companyId)
  const rows = list.rows?.map(({ row }) => row).filter(({ company_id: company }) => company === caller.companyId) ?? []
  // The business day begins for all at once (D31): without its zone nothing is said of days.
  const duties = today === null ? [] : dutiesOf(rows, today)
  const { asOf, isKept } = list.freshness
  const due =
    duties.length > 0
      ? 'some'
      : asOf !== null && today !== null
        ? 'none'
        : isKept || list.problem
          ? 'unknown'
          : 'asking'
  useEffect(() => onDue(due), [onDue, due])
  if (duties.length === 0) return null
  return (
    <section className="home-part" aria-labelledby="home-backups">
      <Sheet />
      <h2 id="home-backups">{t('home.title')}</h2>
      <ul className="home-list">
        {duties.map((duty) => (
          <li key={`${duty.kind} ${duty.type} ${duty.contractId}`}>
            <Item duty={duty} to={pages?.get(duty.contractId) ?? null} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `to`: the page of the contract; null: it is not known here, and the list of contracts finds it by its code. */
function Item({ duty, to }: { duty: Duty; to: number | null }) {
  const { t } = useTranslation('backups')
  const { kind, name, type, due } = duty
  const said = { name, due, type: t(`type.${type}`) }
  const path = to === null ? `/app/contract?searchText=${duty.code}` : `/app/contract/${to}?tab=subscribe`
  return (
    <Link className={`home-item${duty.isUrgent ? ' troubled' : ''}`} to={path}>
      <Icon name={kind === 'unpaid' || kind === 'traffic' ? 'price' : 'alert'} />
      <span className="home-words">
        <strong>{t(`home.${kind}`, said)}</strong>
        <span>{t(`home.${kind}Text`)}</span>
      </span>
      <Icon name="right" size={16} />
    </Link>
  )
}
