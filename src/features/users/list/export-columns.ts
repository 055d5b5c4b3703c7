import type { TFunction } from 'i18next'
import type { UserRow } from '#contract/users.ts'
import { userFlags } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'
import { i18n } from '#ui/i18n/messages.ts'

/** Columns of the exported users. The access level is only for those who may set it. `timeZone` is null if it is not known yet. */
export function buildUserExportColumns(
  t: TFunction<'users'>,
  { hasLevel, timeZone }: { hasLevel: boolean; timeZone: string | null },
): ExportColumn<OverlaidRow<UserRow>>[] {
  // These messages are loaded when the export opens.
  const tPeople = i18n.getFixedT(null, 'people')
  const addZone = (heading: string) => `${heading} (${timeZone ?? tPeople('export.business')})`
  const toYesNo = (value: boolean) => tPeople(value ? 'export.yes' : 'export.no')
  const levelColumn: ExportColumn<OverlaidRow<UserRow>> = [
    tPeople('form.access_level'),
    ({ row }) => tPeople(`levels.${row.access_level}`),
  ]
  return [
    [t('column.name'), ({ row }) => row.name],
    [t('column.email'), ({ row }) => row.email],
    [t('column.title'), ({ row }) => t(`titles.${row.title}`)],
    [t('column.status'), ({ row }) => t(`status.${row.status}`)],
    ...userFlags.map(
      (flag): ExportColumn<OverlaidRow<UserRow>> => [t(`flag.${flag}`), ({ row }) => toYesNo(row[flag])],
    ),
    ...(hasLevel ? [levelColumn] : []),
    [addZone(tPeople('export.created')), ({ row }) => row.create_time],
    [addZone(t('column.updated')), ({ row }) => row.update_time],
  ]
}
