import { useState } from 'react'
import type { VersionedRow } from '#contract/endpoint.ts'
import { formatCsv } from '#domain/csv.ts'
import type { ListView } from '#local/lists/list-view.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useAction } from '#state/use-action.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { downloadBytes } from '#ui/display/download-text.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { getBusinessNow, getBusinessZone, formatReadingTime } from '#ui/page/business-clock.ts'
import { useZoneFormatter } from '#ui/page/zone-name.ts'
import { buildFileName, type FileFormat, fileFormats } from '#patterns/list-export/build-file-name.ts'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'
import { fetchAllRows, type ListSource, readAllRows, shouldFetchAll } from '#patterns/list-export/fetch-all-rows.ts'
import { formatXlsx, type SheetCell } from '#patterns/list-export/format-xlsx.ts'

/** Rows of a list that the page itself has read, with the time of the data in epoch ms. */
export interface ReadRows {
  rows: readonly unknown[]
  asOf: number | null
  /** False if the list has rows that the page could not read. */
  isComplete: boolean
}

type ExportedRows = Pick<ListView<VersionedRow>, 'count' | 'total' | 'asOf' | 'complete'> & { rows: readonly unknown[] }

export interface ExportDialogProps {
  /** Name of the list, for example "Users". It is in the name of the file too. */
  name: string
  /** Code of the company whose rows they are. By default it is the user's own. Null if it is not one known company. */
  companyCode?: string | null | undefined
  columns: readonly ExportColumn<never>[]
  /** Where the rows are read, or the rows themselves. */
  source: ListSource<VersionedRow> | ReadRows
  isFiltered: boolean
  onClose: () => void
}

/** Shows what the file will contain and how recent it is (C-08), then exports all rows of the filter, not one page. */
export function ExportDialog({ name, companyCode, columns, source, isFiltered, onClose }: ExportDialogProps) {
  const { t } = useTranslation('export')
  const formatZone = useZoneFormatter()
  const { user } = useSignedInSession()
  const connection = useConnection()
  const [format, setFormat] = useState<FileFormat>('csv')
  const timeZone = useSettings()?.time_zone ?? null
  const { run, isBusy, problem } = useAction((allRows: ListSource<VersionedRow>) => fetchAllRows(allRows))
  const sourceKey = 'slice' in source ? JSON.stringify([source.scope, source.query]) : source.rows
  const cachedList = useLiveQuery(() => readRows(source), [sourceKey])
  if (!cachedList) return null
  const shouldFetch = 'slice' in source && shouldFetchAll(cachedList, connection)
  const count = shouldFetch ? (cachedList.total ?? cachedList.count) : cachedList.rows.length

  async function save(list: ExportedRows) {
    const result = shouldFetch && 'slice' in source ? await run(source) : null
    if (result?.kind === 'problem') return
    const { rows, ...file } =
      result?.kind === 'fresh'
        ? { rows: result.output, asOf: getBusinessNow(), partialCount: null }
        : toCachedFile(list)
    const fileName = buildFileName([name, companyCode === undefined ? user.company_code : companyCode], {
      ...file,
      format,
      timeZone: timeZone ?? getBusinessZone(),
    })
    const table = buildTable(rows, columns, t('unsent'), [t('no'), t('yes')])
    downloadBytes(toFile(table, format), fileName)
    showToast({ kind: 'done', text: t('saved', { name: fileName }) })
    onClose()
  }
  const saveButton = (
    <Button
      kind="primary"
      icon="install"
      isBusy={isBusy}
      disabledReason={count === 0 && t('empty')}
      onClick={() => void save(cachedList)}
    >
      {t('do', { count, number: formatNumber(count) })}
    </Button>
  )
  return (
    <Dialog open title={t('title')} onClose={onClose} action={saveButton}>
      <div className="form">
        <ProblemNote problem={problem} shouldFocus />
        <p>{t(isFiltered ? 'filtered' : 'all', { name })}</p>
        <p role="status">
          <ExportNote cachedList={cachedList} shouldFetch={shouldFetch} />
        </p>
        <SelectField
          label={t('format.label')}
          options={fileFormats.map((value) => ({ value, label: t(`format.${value}`) }))}
          value={format}
          onChange={({ target }) => setFormat(fileFormats.find((value) => value === target.value) ?? 'csv')}
        />
        <p className="field-help">{t('times', { zone: formatZone(getBusinessNow()) })}</p>
        {format === 'csv' && <p className="field-help">{t('format.help')}</p>}
      </div>
    </Dialog>
  )
}

function toFile(table: Iterable<SheetCell[]>, format: FileFormat): Blob {
  if (format === 'xlsx')
    return new Blob([formatXlsx(table)], { type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' })
  const toText = (cell: SheetCell) => (typeof cell === 'string' ? cell : cell.number)
  const lines = Array.from(table, (row) => row.map(toText))
  return new Blob([formatCsv(lines)], { type: 'text/csv;charset=utf-8' })
}

async function readRows(source: ExportDialogProps['source']): Promise<ExportedRows> {
  if ('slice' in source) return await readAllRows(source)
  const { rows, asOf, isComplete } = source
  return { rows, asOf, count: rows.length, total: isComplete ? rows.length : null, complete: isComplete }
}

const toCachedFile = ({ rows, complete: isComplete, total, asOf }: ExportedRows) => ({
  rows,
  asOf: asOf ?? getBusinessNow(),
  partialCount: isComplete ? null : { cachedCount: rows.length, total },
})

interface ExportNoteProps {
  cachedList: ExportedRows
  shouldFetch: boolean
}

function ExportNote({ cachedList: { rows, total, asOf, complete: isComplete }, shouldFetch }: ExportNoteProps) {
  const { t } = useTranslation('export')
  const waiting = rows.some(isWaiting) ? ` ${t('waiting')}` : ''
  if (shouldFetch) return t('fromServer')
  const readingTime = asOf === null ? '' : formatReadingTime(asOf)
  if (isComplete) return (asOf === null ? t('here') : t('complete', { at: readingTime })) + waiting
  const partParams = { cachedCount: formatNumber(rows.length), at: readingTime }
  return (total === null ? t('some', partParams) : t('partly', { ...partParams, total: formatNumber(total) })) + waiting
}

const isWaiting = (row: unknown): boolean => Boolean((row as { waiting?: unknown }).waiting)

/** Rows with unsent changes are marked in a last column, if there are any. */
function* buildTable(
  rows: readonly unknown[],
  columns: readonly ExportColumn<never>[],
  waitingHeader: string,
  [no, yes]: readonly [string, string],
): Generator<SheetCell[]> {
  const waitingColumn: ExportColumn<never> = [waitingHeader, (row) => (isWaiting(row) ? yes : no)]
  const tableColumns = rows.some(isWaiting) ? [...columns, waitingColumn] : columns
  yield tableColumns.map(([header]) => header)
  for (const row of rows)
    yield tableColumns.map(([, getText, kind]) => {
      const text = getText(row as never)
      return kind === 'number' && text !== '' ? { number: text } : text
    })
}
