import type { TFunction } from 'i18next'
import type { ServiceRow } from '#contract/services.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { ListColumn } from '#ui/list/column.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { isWebAddress } from '#ui/display/WebAddress.tsx'
import { formatMemoryDifference } from '#features/services/memory-difference.ts'
import { formatMemory, listNotes, ServiceStatusTag, formatTasks } from '#features/services/ServiceStatusTag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

/** Columns of the service list (M111), with configured and running values (D42). Only the list of all companies has the company. */
export const buildServiceColumns = (
  t: TFunction<'services'>,
  hasCompany: boolean,
): ListColumn<OverlaidRow<ServiceRow>>[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    phone: 'primary',
    exportText: ({ row }) => row.code,
    render: ({ row }) => <span className="service-code">{row.code}</span>,
  },
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'secondary',
    exportText: ({ row }) => row.name,
    render: ({ row }) => (
      <>
        <ServiceName row={row} />
        {hasCompany && (
          <span className="service-company-below">
            <FullName name={row.company_name} />
          </span>
        )}
      </>
    ),
  },
  ...(hasCompany ? [buildCompanyColumn(t)] : []),
  {
    key: 'system_status',
    header: t('column.status'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    exportText: ({ row }) => [t(`status.${row.system_status as 0}`), ...listNotes(row, t)].join(' · '),
    render: ({ row }) => <ServiceStateCell row={row} t={t} />,
  },
  {
    key: 'capacity',
    header: t('column.capacity'),
    width: 'tag',
    priority: 3,
    exportText: ({ row }) => formatCapacity(row, t).join(' · '),
    render: ({ row }) => <Capacity row={row} t={t} />,
  },
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    width: 'day',
    // Hidden on a narrow tablet, where the name needs the space. The details of the row have it.
    priority: 2,
    exportText: ({ row }) => row.create_time,
    render: ({ row: { create_time: createTime } }) => (
      <BusinessTime className="service-time" time={createTime}>
        <span>{createTime.slice(0, 10)}</span> <span>{createTime.slice(11)}</span>
      </BusinessTime>
    ),
  },
  {
    key: 'expired_date',
    header: t('column.expires'),
    sortable: true,
    format: 'date',
    getValue: ({ row }) => row.expired_date,
  },
]

/** In a table the company is below the name of the service; a phone and an export use this column. */
const buildCompanyColumn = (t: TFunction<'services'>): ListColumn<OverlaidRow<ServiceRow>> => ({
  key: 'company_name',
  header: t('column.company'),
  sortable: true,
  lines: 2,
  phone: 'overline',
  exportText: ({ row }) => row.company_name,
  render: ({ row }) => <FullName name={row.company_name} />,
})

/** The tooltip has the full name, because the cell may truncate it. */
const FullName = ({ name }: { name: string }) => (
  <bdi title={name} lang={getNameLang(name)}>
    {name}
  </bdi>
)

function ServiceName({ row: { name, url } }: { row: ServiceRow }) {
  if (!isWebAddress(url)) return <FullName name={name} />
  return (
    <a className="service-link" href={url} target="_blank" rel="noreferrer noopener" title={name}>
      <bdi lang={getNameLang(name)}>{name}</bdi>
      <Icon name="external" size={16} />
    </a>
  )
}

function ServiceStateCell({ row, t }: { row: ServiceRow; t: TFunction<'services'> }) {
  const notes = listNotes(row, t)
  return (
    <span className="service-state">
      <ServiceStatusTag {...row} />
      {notes.length > 0 && <span className="service-note">{notes.join(' · ')}</span>}
    </span>
  )
}

function Capacity({ row, t }: { row: ServiceRow; t: TFunction<'services'> }) {
  if (row.system_status === 0) return <span className="service-none">{t('capacity.none')}</span>
  return (
    <span className="service-capacity">
      {formatCapacity(row, t).map((text) => (
        <span key={text}>{text}</span>
      ))}
    </span>
  )
}

/** "Instances 1" and "256 MB": what runs, or what is set if nothing runs. Other set values are shown beside it (D42). */
function formatCapacity(row: ServiceRow, t: TFunction<'services'>): string[] {
  if (row.system_status === 0) return []
  const { task_runtime_memory: setMemory, task_desire_count: setTasks, running_memory: runningMemory } = row
  const isOtherCount = setTasks !== -1 && setTasks !== row.running_tasks
  const instances = t('capacity.instances', { number: formatNumber(row.running_tasks) })
  const instancesText = isOtherCount
    ? t('capacity.setTo', { value: instances, set: formatTasks(setTasks, t) })
    : instances
  const memoryDifference = formatMemoryDifference(row, t)
  if (memoryDifference !== null) return [instancesText, memoryDifference]
  if (runningMemory === null) return setMemory === 0 ? [instancesText] : [instancesText, formatMemory(setMemory, t)]
  const memory = formatMemory(runningMemory, t)
  const isOtherMemory = setMemory !== 0 && setMemory !== runningMemory
  return [
    instancesText,
    isOtherMemory ? t('capacity.setTo', { value: memory, set: formatMemory(setMemory, t) }) : memory,
  ]
}
