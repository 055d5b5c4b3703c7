import type { TFunction } from 'i18next'
import type { ModuleRow } from '#contract/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { NoValue } from '#ui/list/NoValue.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import type { ModuleKindFilter } from '#features/modules/view.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { joinList } from '#ui/i18n/messages.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

export const buildModuleColumns = (
  t: TFunction<'modules'>,
  kindFilter: ModuleKindFilter,
): ListColumn<OverlaidRow<ModuleRow>>[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    phone: 'secondary',
    exportText: ({ row }) => row.code,
    // A hidden module that waits on this device has no code until the server assigns one (D80).
    render: ({ row }) => (row.code === '' ? t('codeLater') : <code className="module-code">{row.code}</code>),
  },
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'primary',
    exportText: ({ row }) => row.name,
    render: ({ row }) => (
      <span lang={getNameLang(row.name)}>
        {row.name} {kindFilter === 'all' && row.hidden && <Tag>{t('hidden')}</Tag>}
      </span>
    ),
  },
  {
    key: 'needs',
    header: t(kindFilter === 'hidden' ? 'column.conditions' : 'column.needs'),
    priority: 2,
    phone: 'secondary',
    exportText: ({ row }) => joinList(row.hidden ? row.conditions : row.dependencies),
    render: ({ row }) => (
      <ModuleCodes codes={row.hidden ? row.conditions : row.dependencies} any={row.hidden && row.any_condition} t={t} />
    ),
  },
  {
    key: 'apps',
    header: t('column.apps'),
    priority: 2,
    format: 'number',
    getValue: ({ row }) => row.apps.length,
  },
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    width: 'time',
    priority: 3,
    exportText: ({ row }) => row.create_time,
    render: ({ row }) => (row.create_time ? <BusinessTime time={row.create_time} /> : t('notYet')),
  },
]

function ModuleCodes({
  codes,
  any: isAnyCondition,
  t,
}: {
  codes: readonly string[]
  any: boolean
  t: TFunction<'modules'>
}) {
  if (codes.length === 0) return <NoValue />
  const text = joinList(codes)
  return (
    <span className="module-codes" title={text}>
      {isAnyCondition && codes.length > 1 ? t('anyOf', { codes: text }) : text}
    </span>
  )
}
