import { useId } from 'react'
import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import { isAllowed } from '#domain/access.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { useTranslation } from 'react-i18next'
import { toEntryRows } from '#features/audit-trail/entry/entry-rows.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'
import { TrailStyles } from '#features/audit-trail/TrailStyles.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'

interface RecentEntriesProps {
  /** Without a record, the latest entries of the whole company. */
  code?: AuditMenu
  /** Name of the record as it appears in entries. */
  name?: string
  companyId: number
  refreshKey: unknown
}

const maxEntries = 5

/** Shows the latest entries about a record to users who may read the audit trail (D51). Renders nothing for others. */
export function RecentEntries({ code, name, companyId, refreshKey }: RecentEntriesProps) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const entryFormatter = useEntryFormatter()
  const titleId = useId()
  const path =
    code !== undefined && name !== undefined
      ? buildHistoryPath({ code, name, companyId }, caller)
      : isAllowed('trail', caller) && isAllowed('providerAdmin', caller)
        ? `/app/m18/customer/${companyId}/trail`
        : null
  const companyQuery = companyId === caller.companyId ? {} : { companyId }
  const { response } = useTrailResponse(
    listTrail,
    path === null
      ? null
      : { query: { ...(code ? { code, searchText: name } : {}), results: maxEntries, ...companyQuery } },
    String(refreshKey),
  )
  const entries = response && toEntryRows(response.output)
  if (path === null || entries === undefined) return null
  return (
    <section className="card trail-recent" aria-labelledby={titleId}>
      <TrailStyles />
      <h2 id={titleId}>{t('recent.title')}</h2>
      {entries === null ? (
        <p className="trail-recent-none">{t('recent.notHere')}</p>
      ) : entries.length === 0 ? (
        <p className="trail-recent-none">{t('recent.none')}</p>
      ) : (
        <ol>
          {entries.map((entry) => (
            <li key={entry.id}>
              <time>{entry.end_time}</time>
              <span className={entry.status === -1 ? 'trail-recent-failed' : undefined}>
                {entryFormatter.formatOperation(entry)}
                {entry.status === -1 && ` · ${entryFormatter.formatStatus(entry)}`}
              </span>
              <bdi lang={getNameLang(entryFormatter.formatUser(entry))}>{entryFormatter.formatUser(entry)}</bdi>
            </li>
          ))}
        </ol>
      )}
      <Link to={path}>{t('recent.all')}</Link>
    </section>
  )
}
