import type { TFunction } from 'i18next'
import type { ServiceRow } from '#contract/services.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { ListColumn } from '#ui/list/column.ts'
import { isWebAddress } from '#ui/display/WebAddress.tsx'
import { formatMemoryDifference } from '#features/services/memory-difference.ts'
import { formatMemory, listNotes, ServiceStatusTag, formatTasks } from '#features/services/ServiceStatusTag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

/** Columns of the service list (M111), with configured and running values (D42). */
export const buildServiceColumns = (t: TFunction<'services'>): ListColumn<OverlaidRow<ServiceRow>>[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    phone: 'primary',
    render: ({ row }) => <span className="service-code">{row.code}</span>,
  },
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'secondary',
    render: ({ row }) => <ServiceName row={row} />,
  },
  {
    key: 'company_name',
    header: t('column.company'),
    sortable: true,
    // Columns required by the specification have priority over this one.
    priority: 3,
    lines: 2,
    phone: 'secondary',
    render: ({ row }) => <FullName name={row.company_name} />,
  },
  {
    key: 'system_status',
    header: t('column.status'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    render: ({ row }) => <ServiceStateCell row={row} t={t} />,
  },
  {
    key: 'capacity',
    header: t('column.capacity'),
    width: 'tag',
    priority: 3,
    render: ({ row }) => <Capacity row={row} t={t} />,
  },
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    width: 'day',
    // Hidden on a narrow tablet, where the name needs the space. The details of the row have it.
    priority: 2,
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

/** The tooltip has the full name, because the cell may truncate it. */
const FullName = ({ name }: { name: string }) => (
  <bdi title={name} lang={getNameLang(name)}>
    {name}
  </bdi>
)

function ServiceName({ row: { name, url } }: { row: ServiceRow }) {
  if (!isWebAddress(url)) return <FullName name={name} />
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" title={name}>
      <bdi lang={getNameLang(name)}>{name}</bdi>
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

/** Instances and memory as set. What runs is added only while it differs. */
function Capacity({ row, t }: { row: ServiceRow; t: TFunction<'services'> }) {
  if (row.system_status === 0) return <span className="service-none">{t('capacity.none')}</span>
  const { task_desire_count: setTasks, running_tasks: runningTasks } = row
  const { task_runtime_memory: setMemory, running_memory: runningMemory } = row
  const isTaskCountSet = setTasks === runningTasks || setTasks < 0
  const isMemorySet = setMemory === runningMemory || setMemory === 0 || runningMemory === null
  const set = formatTasks(setTasks, t, true)
  const memory = formatMemory(setMemory, t, true)
  return (
    <span className="service-capacity">
      <span>
        {isTaskCountSet
          ? t('capacity.tasks', { set })
          : t('capacity.tasksRunning', { set, running: String(runningTasks) })}
      </span>
      <span>
        {formatMemoryDifference(row, t) ??
          (isMemorySet
            ? memory
            : t('capacity.memoryRunning', { set: memory, running: formatMemory(runningMemory, t) }))}
      </span>
    </span>
  )
}
