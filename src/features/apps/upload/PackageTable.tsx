import { type ReactNode, useState } from 'react'
import '#ui/list/list.css'
import { toDisplayName } from '#domain/catalogue/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'
import { AppIcon, toResourceUrl } from '#features/apps/AppIcon.tsx'
import { formatConflict } from '#features/apps/upload/format-fault.ts'
import { getPage, pageSize } from '#features/apps/upload/entry-page.ts'
import {
  type UploadEntry,
  type KnownVersions,
  type PackageRow,
  type PackageState,
  getPackageState,
} from '#features/apps/upload/upload-entry.ts'

const tones: Record<0 | 1 | 2 | 3, TagTone> = { 0: 'positive', 1: 'accent', 2: 'neutral', 3: 'danger' }

interface PackageTableProps {
  title: string
  intro: string
  entries: readonly UploadEntry[]
  apps: KnownVersions
  renderPick?: (entry: UploadEntry) => ReactNode
  onChangeLog: (entry: UploadEntry) => void
  onRemove: (entry: UploadEntry) => void
  children?: ReactNode
}

/** Lists the packages and what each changes in the catalogue, 5 rows per page (M156, M158). */
export function PackageTable({ title, intro, entries, children, ...rest }: PackageTableProps) {
  const { t } = useTranslation('apps')
  const [requestedPage, setRequestedPage] = useState(1)
  const { page, pageCount, pageEntries } = getPage(entries, requestedPage)
  if (entries.length === 0) return null
  const headers = ['file', 'module', 'released', 'version', 'current', 'least', 'status'] as const
  return (
    <section className="packages" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="field-help">{intro}</p>
      </div>
      <div className="list-room">
        <div className="list">
          {/* On a phone, CSS shows the rows as cards and changes `display`. That removes the roles of a table, so they are set explicitly. */}
          <table className="table cards" role="table">
            <caption className="sr-only">{title}</caption>
            <thead role="rowgroup">
              <tr role="row">
                {rest.renderPick && (
                  <th scope="col" role="columnheader" className="pick">
                    <span className="sr-only">{t('table.pick')}</span>
                  </th>
                )}
                {headers.map((header) => (
                  <th key={header} scope="col" role="columnheader">
                    {t(`table.${header}`)}
                  </th>
                ))}
                <th scope="col" role="columnheader" className="acts">
                  <span className="sr-only">{t('table.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {pageEntries.map((entry) => (
                <Row key={entry.key} entry={entry} {...rest} />
              ))}
            </tbody>
          </table>
          {entries.length > 1 && (
            <div className="list-foot">
              <p role="status">
                <span>{t('table.counted', { count: entries.length })}</span>
                {pageCount > 1 && <span>{t('table.page', { page, pages: pageCount })}</span>}
              </p>
              {entries.length > pageSize && <Pagination page={page} pageCount={pageCount} onPage={setRequestedPage} />}
            </div>
          )}
        </div>
      </div>
      {children}
    </section>
  )
}

function Row({
  entry,
  apps,
  renderPick,
  onChangeLog,
  onRemove,
}: Omit<PackageTableProps, 'title' | 'intro' | 'entries' | 'children'> & { entry: UploadEntry }) {
  const { t } = useTranslation('apps')
  const { row } = entry
  const state = getPackageState(entry, apps)
  if (!row || !state) return null
  const cell = (key: 'module' | 'released' | 'version' | 'current' | 'least', content: ReactNode) => (
    <td role="cell" data-label={t(`table.${key}`)} className={key === 'module' ? undefined : 'app-version'}>
      {content ?? '–'}
    </td>
  )
  const packageName = `${row.app_name} ${row.version}`
  return (
    <tr role="row">
      {renderPick && (
        <td role="cell" className="pick">
          {renderPick(entry)}
        </td>
      )}
      <td role="cell" data-label={t('table.file')}>
        <PackageFile entry={entry} row={row} />
      </td>
      {cell(
        'module',
        <span className="package-module">
          {row.module_name} <code>{row.module}</code>
        </span>,
      )}
      {cell('released', row.release_date)}
      {cell('version', row.version)}
      {cell('current', state.current_version)}
      {cell('least', row.min_version_required)}
      <td role="cell" data-label={t('table.status')}>
        <PackageStatus entry={entry} row={row} state={state} />
      </td>
      <td role="cell" className="acts">
        <span className="row-actions">
          <Button
            kind="plain"
            isIconOnly
            icon="contract"
            disabledReason={row.markdown === null && entry.changeLog === null ? t('changeLog.none') : null}
            onClick={() => onChangeLog(entry)}
          >
            {t('changeLog.openOf', { name: packageName })}
          </Button>
          {!entry.isPublished && (
            <Button kind="plain" isIconOnly icon="remove" onClick={() => onRemove(entry)}>
              {t('transfer.remove', { name: packageName })}
            </Button>
          )}
        </span>
      </td>
    </tr>
  )
}

function PackageFile({ entry: { iconUrl }, row }: { entry: UploadEntry; row: PackageRow }) {
  return (
    <span className="app-lead">
      <AppIcon name={row.app_name} src={row.icon ? toResourceUrl(row.icon) : iconUrl} />
      <span className="package-names">
        <span>
          <strong>{row.app_name}</strong> <code>{row.code}</code>
        </span>
        <span className="package-file" dir="auto">
          {toDisplayName(row.name)}
        </span>
        <span className="package-md5">
          MD5 <CopyText text={row.md5} />
        </span>
      </span>
    </span>
  )
}

function PackageStatus({ entry, row, state }: { entry: UploadEntry; row: PackageRow; state: PackageState }) {
  const { t } = useTranslation('apps')
  return (
    <span className="package-status">
      <Tag tone={entry.isPublished ? 'positive' : tones[state.status]}>
        {entry.isPublished ? t('status.published') : t(`status.${state.status}`)}
      </Tag>
      {state.why && <span>{formatConflict(state.why, row, state.current_version ?? '')}</span>}
    </span>
  )
}
