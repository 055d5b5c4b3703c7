import type { UserRow } from '#contract/users.ts'
import { formatCsv } from '#domain/csv.ts'
import { isDeleteLevel } from '#domain/access.ts'
import { userFlags } from '#domain/accounts/users.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useAction } from '#state/use-action.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatNumber, formatReadingTime } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { downloadText } from '#ui/display/download-text.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { type UsersView, usersView } from '#features/users/view.ts'
import { getBusinessNow, getBusinessZone } from '#ui/page/business-clock.ts'
import { buildFileName, fetchAllUsers, readAllUsers, shouldFetchAll } from '#features/users/list/export-users.ts'

type UserRows = readonly OverlaidRow<UserRow>[]

/** Shows what the file will contain and how recent it is (C-08), then exports all rows of the filter, not one page. */
export function ExportDialog({ view, onClose }: { view: UsersView; onClose: () => void }) {
  const { t } = useTranslation('people')
  const { user } = useSignedInSession()
  const connection = useConnection()
  const timeZone = useSettings()?.time_zone ?? null
  const buildTable = useExportTable(timeZone)
  const { run, isBusy, problem } = useAction(() => fetchAllUsers(user.company_id, view))
  const savedQuery = usersView.toSavedQuery(view)
  const cachedList = useLiveQuery(() => readAllUsers(user.company_id, view), [user.company_id, savedQuery])
  if (!cachedList) return null
  const shouldFetch = shouldFetchAll(cachedList, connection)
  const count = shouldFetch ? (cachedList.total ?? cachedList.count) : cachedList.rows.length

  async function save(list: ListView<UserRow>) {
    const result = shouldFetch ? await run(null) : null
    if (result?.kind === 'problem') return
    const { rows, ...file } =
      result?.kind === 'fresh'
        ? { rows: result.output, asOf: getBusinessNow(), partialCount: null }
        : toCachedFile(list)
    const name = buildFileName([t('export.file'), user.company_code], {
      ...file,
      timeZone: timeZone ?? getBusinessZone(),
    })
    downloadText(formatCsv(buildTable(rows)), name, 'text/csv;charset=utf-8')
    showToast({ kind: 'done', text: t('export.saved', { name }) })
    onClose()
  }
  const saveButton = (
    <Button
      kind="primary"
      icon="install"
      isBusy={isBusy}
      disabledReason={count === 0 && t('export.nobody')}
      onClick={() => void save(cachedList)}
    >
      {t('export.do', { count, number: formatNumber(count) })}
    </Button>
  )
  return (
    <Dialog open title={t('export.title')} onClose={onClose} action={saveButton}>
      <div className="form">
        <ProblemNote problem={problem} shouldFocus />
        <p>{t(usersView.isFiltered(view) ? 'export.filtered' : 'export.all')}</p>
        <p role="status">
          <ExportNote cachedList={cachedList} shouldFetch={shouldFetch} />
        </p>
        <p className="field-help">{t('export.times', { zone: timeZone ?? t('export.business') })}</p>
        <p className="field-help">{t('export.format')}</p>
      </div>
    </Dialog>
  )
}

const toCachedFile = ({ rows, complete: isComplete, total, asOf }: ListView<UserRow>) => ({
  rows,
  asOf: asOf ?? getBusinessNow(),
  partialCount: isComplete ? null : { cachedCount: rows.length, total },
})

interface ExportNoteProps {
  cachedList: ListView<UserRow>
  shouldFetch: boolean
}

function ExportNote({ cachedList: { rows, total, asOf, complete: isComplete }, shouldFetch }: ExportNoteProps) {
  const { t } = useTranslation('people')
  const waiting = rows.some((overlaidRow) => overlaidRow.waiting) ? ` ${t('export.waiting')}` : ''
  if (shouldFetch) return t('export.fromServer')
  const readingTime = asOf === null ? '' : formatReadingTime(asOf)
  if (isComplete) return t('export.complete', { at: readingTime }) + waiting
  const partParams = { cachedCount: formatNumber(rows.length), at: readingTime }
  return (
    (total === null
      ? t('export.some', partParams)
      : t('export.partly', { ...partParams, total: formatNumber(total) })) + waiting
  )
}

type ExportColumn = [header: string, getValue: (overlaidRow: OverlaidRow<UserRow>) => string]

function useExportTable(timeZone: string | null) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const { caller } = useSignedInSession()
  const addZone = (heading: string) => `${heading} (${timeZone ?? t('export.business')})`
  const toYesNo = (value: boolean) => t(value ? 'export.yes' : 'export.no')
  const levelColumn: ExportColumn = [t('form.access_level'), ({ row }) => t(`levels.${row.access_level}`)]
  const columns: ExportColumn[] = [
    [tUsers('column.name'), ({ row }) => row.name],
    [tUsers('column.email'), ({ row }) => row.email],
    [tUsers('column.title'), ({ row }) => tUsers(`titles.${row.title}`)],
    [tUsers('column.status'), ({ row }) => tUsers(`status.${row.status}`)],
    ...userFlags.map((flag): ExportColumn => [tUsers(`flag.${flag}`), ({ row }) => toYesNo(row[flag])]),
    ...(isDeleteLevel(caller) ? [levelColumn] : []),
    [addZone(t('export.created')), ({ row }) => row.create_time],
    [addZone(tUsers('column.updated')), ({ row }) => row.update_time],
  ]
  const waitingColumn: ExportColumn = [t('export.unsent'), ({ waiting }) => toYesNo(waiting !== null)]
  return function* buildTable(rows: UserRows): Generator<string[]> {
    const tableColumns = rows.some(({ waiting }) => waiting) ? [...columns, waitingColumn] : columns
    yield tableColumns.map(([header]) => header)
    for (const overlaidRow of rows) yield tableColumns.map(([, getValue]) => getValue(overlaidRow))
  }
}
