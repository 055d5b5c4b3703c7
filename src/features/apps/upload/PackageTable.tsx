import { type ReactNode, useState } from 'react'
import '#ui/list/list.css'
import { shownName } from '#domain/catalogue/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'
import { AppIcon, resourceAt } from '#features/apps/AppIcon.tsx'
import { conflictWords } from '#features/apps/upload/fault-words.ts'
import { pageOf, pageSize } from '#features/apps/upload/shown.ts'
import {
  type Entry,
  type KnownApps,
  type PackageRow,
  type ShownState,
  stateOf,
} from '#features/apps/upload/upload-entry.ts'

const tones: Record<0 | 1 | 2 | 3, Tone> = { 0: 'positive', 1: 'accent', 2: 'neutral', 3: 'danger' }

interface Props {
  title: string
  lead: string
  entries: readonly Entry[]
  apps: KnownApps
  /** The box of a row, where rows are chosen. */
  pick?: (entry: Entry) => ReactNode
  onChangeLog: (entry: Entry) => void
  onRemove: (entry: Entry) => void
  children?: ReactNode
}

/** What is in the packages, and what each does to the catalogue: 5 rows a page (M156, M158). */
export function PackageTable({ title, lead, entries, children, ...rest }: Props) {
  const { t } = useTranslation('apps')
  const [asked, setPage] = useState(1)
  const { page, pages, shown } = pageOf(entries, asked)
  if (entries.length === 0) return null
  const headers = ['file', 'module', 'released', 'version', 'current', 'least', 'status'] as const
  return (
    <section className="packages" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="field-help">{lead}</p>
      </div>
      <div className="list-room">
        <div className="list">
          {/* The roles are spelled out because cards take the table's display away, and with it what the tags mean. */}
          <table className="table cards" role="table">
            <caption className="sr-only">{title}</caption>
            <thead role="rowgroup">
              <tr role="row">
                {rest.pick && (
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
              {shown.map((entry) => (
                <Row key={entry.key} entry={entry} {...rest} />
              ))}
            </tbody>
          </table>
          {entries.length > 1 && (
            <div className="list-foot">
              <p role="status">
                <span>{t('table.counted', { count: entries.length })}</span>
                {pages > 1 && <span>{t('table.page', { page, pages })}</span>}
              </p>
              {entries.length > pageSize && <Pages page={page} pages={pages} onPage={setPage} />}
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
  pick,
  onChangeLog,
  onRemove,
}: Omit<Props, 'title' | 'lead' | 'entries' | 'children'> & { entry: Entry }) {
  const { t } = useTranslation('apps')
  const { row } = entry
  const state = stateOf(entry, apps)
  if (!row || !state) return null
  const cell = (key: 'module' | 'released' | 'version' | 'current' | 'least', content: ReactNode) => (
    <td role="cell" data-label={t(`table.${key}`)} className={key === 'module' ? undefined : 'app-version'}>
      {content ?? '–'}
    </td>
  )
  const named = `${row.app_name} ${row.version}`
  return (
    <tr role="row">
      {pick && (
        <td role="cell" className="pick">
          {pick(entry)}
        </td>
      )}
      <td role="cell" data-label={t('table.file')}>
        <File entry={entry} row={row} />
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
        <Status entry={entry} row={row} state={state} />
      </td>
      <td role="cell" className="acts">
        <span className="row-actions">
          <Button
            kind="plain"
            bare
            icon="contract"
            whyNot={row.markdown === null && entry.changeLog === null ? t('changeLog.none') : null}
            onClick={() => onChangeLog(entry)}
          >
            {t('changeLog.openOf', { name: named })}
          </Button>
          {!entry.isPublished && (
            <Button kind="plain" bare icon="remove" onClick={() => onRemove(entry)}>
              {t('transfer.remove', { name: named })}
            </Button>
          )}
        </span>
      </td>
    </tr>
  )
}

function File({ entry: { iconUrl }, row }: { entry: Entry; row: PackageRow }) {
  return (
    <span className="app-lead">
      <AppIcon name={row.app_name} src={row.icon ? resourceAt(row.icon) : iconUrl} />
      <span className="package-names">
        <span>
          <strong>{row.app_name}</strong> <code>{row.code}</code>
        </span>
        <span className="package-file" dir="auto">
          {shownName(row.name)}
        </span>
        <span className="package-md5">
          MD5 <CopyText text={row.md5} />
        </span>
      </span>
    </span>
  )
}

function Status({ entry, row, state }: { entry: Entry; row: PackageRow; state: ShownState }) {
  const { t } = useTranslation('apps')
  return (
    <span className="package-status">
      <Tag tone={entry.isPublished ? 'positive' : tones[state.status]}>
        {entry.isPublished ? t('status.published') : t(`status.${state.status}`)}
      </Tag>
      {state.why && <span>{conflictWords(state.why, row, state.current_version ?? '')}</span>}
    </span>
  )
}
