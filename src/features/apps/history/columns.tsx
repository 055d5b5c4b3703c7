import type { TFunction } from 'i18next'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Button } from '#ui/display/Button.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import { AppIcon, toResourceUrl } from '#features/apps/AppIcon.tsx'
import type { VersionRow } from '#features/apps/history/app-history-slice.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** Columns of contracts 2 and 3: icon, code, name (with the description), version, publication time and change log. */
export const buildVersionColumns = (
  t: TFunction<'apps'>,
  onChangeLog: (row: VersionRow) => void,
): ListColumn<OverlaidRow<VersionRow>>[] => [
  {
    key: 'code',
    header: t('history.column.code'),
    sortable: true,
    phone: 'secondary',
    exportText: ({ row }) => row.code,
    render: ({ row }) => (
      <span className="app-lead">
        <AppIcon name={row.name} src={row.icon && toResourceUrl(row.icon)} />
        <code>{row.code}</code>
      </span>
    ),
  },
  {
    key: 'name',
    header: t('history.column.name'),
    sortable: true,
    lines: 2,
    phone: 'primary',
    exportText: ({ row }) => row.name,
    render: ({ row }) => (
      <span title={row.name} lang={getNameLang(row.name)}>
        {row.name}
      </span>
    ),
  },
  {
    key: 'version',
    header: t('history.column.version'),
    sortable: true,
    width: 'code',
    phone: 'labelled',
    format: 'text',
    getValue: ({ row }) => row.version,
  },
  {
    key: 'create_time',
    header: t('history.column.published'),
    sortable: true,
    priority: 2,
    format: 'time',
    getValue: ({ row }) => row.create_time,
  },
  {
    key: 'changeLog',
    header: t('history.column.changeLog'),
    width: 'money',
    phone: 'tag',
    render: ({ row }) => (
      <Button
        kind="plain"
        icon="contract"
        aria-haspopup="dialog"
        disabledReason={row.markdown === null ? t('changeLog.none') : null}
        onClick={() => onChangeLog(row)}
      >
        {t('changeLog.view')}{' '}
        <span className="sr-only">{t('changeLog.title', { name: row.name, version: row.version })}</span>
      </Button>
    ),
  },
]
