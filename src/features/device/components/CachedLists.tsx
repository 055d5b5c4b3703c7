import '#ui/list/list.css'
import { formatBytes } from '#features/device/format-bytes.ts'
import { getTableLabel } from '#features/device/table-label.ts'
import { type CachedListUsage, isServiceTable } from '#local/space/usage.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { formatNumber, ReadingTime } from '#ui/list/Freshness.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'

/** Shows rows, age and size of each cached list. The roles are explicit, because the cards of a phone remove those of a table. */
export function CachedLists({ lists }: { lists: readonly CachedListUsage[] }) {
  const { t } = useTranslation('device')
  const headers = ['list', 'rows', 'asOf', 'size'] as const
  return (
    <div className="list-room">
      <table className="table cards device-lists" role="table">
        <caption className="sr-only">{t('lists.title')}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {headers.map((header) => (
              <th key={header} scope="col" role="columnheader">
                {t(`lists.${header}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {lists.map((list) => (
            <Row key={`${list.table} ${list.scope}`} list={list} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ list }: { list: CachedListUsage }) {
  const { t } = useTranslation('device')
  const { rows, total, complete: isComplete, asOf, bytes } = list
  return (
    <tr role="row">
      <td role="cell">
        <ListName list={list} />
      </td>
      <td role="cell" data-label={t('lists.rows')}>
        <span className="device-rows">
          {isComplete || total === null
            ? formatNumber(rows)
            : t('lists.of', { rows: formatNumber(rows), total: formatNumber(total) })}
          <Tag tone={isComplete ? 'positive' : 'neutral'}>{t(isComplete ? 'lists.complete' : 'lists.partly')}</Tag>
        </span>
      </td>
      <td role="cell" data-label={t('lists.asOf')}>
        {asOf === null ? t('lists.unknown') : <ReadingTime instant={asOf} />}
      </td>
      <td role="cell" data-label={t('lists.size')}>
        {formatBytes(bytes)}
      </td>
    </tr>
  )
}

function ListName({ list: { table, scope, serviceCode } }: { list: CachedListUsage }) {
  const { t } = useTranslation('device')
  const { user } = useSignedInSession()
  const name = getTableLabel(table)
  const isOfService = isServiceTable(table)
  // A service and a company may have the same id, so the ids are compared only if the list belongs to a company.
  if (scope === null || (!isOfService && scope === user.company_id)) return <strong>{name}</strong>
  if (!isOfService) return <strong>{t('lists.ofCompany', { name, id: scope })}</strong>
  return <strong>{t('lists.ofService', { name, service: serviceCode ?? scope })}</strong>
}
