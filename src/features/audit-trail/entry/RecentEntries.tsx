import { useId } from 'react'
import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import { canReadEntries } from '#domain/access.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { EntryTime } from '#features/audit-trail/entry/EntryTime.tsx'
import { toEntryRows } from '#features/audit-trail/entry/entry-rows.ts'
import { Sentence } from '#features/audit-trail/sentence/Sentence.tsx'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'
import { TrailStyles } from '#features/audit-trail/TrailStyles.tsx'

interface RecentEntriesProps {
  /** Type of the entries. Without it, entries of all types that name the record. */
  code?: AuditMenu
  /** Name of the record as it appears in entries. Without it, all entries of the type. */
  name?: string
  companyId: number
  /** Right that is needed to read the entries. Entries of the catalogue need the delete level (contracts 2). */
  access?: 'trail' | 'deleteLevel'
  refreshKey: unknown
  /** Renders no card and no link, because a drawer is one already and has its own link. */
  isInDrawer?: boolean
}

const maxEntries = 5

/** Shows the latest entries about a record to users who may read the audit trail (D51). Renders nothing for others. */
export function RecentEntries({
  code,
  name,
  companyId,
  access = 'trail',
  refreshKey,
  isInDrawer = false,
}: RecentEntriesProps) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const titleId = useId()
  const isOtherCompany = companyId !== caller.companyId
  const canRead = canReadEntries(caller, companyId, access)
  const filter = { ...(code ? { code } : {}), ...(name ? { searchText: name } : {}) }
  const { response } = useTrailResponse(
    listTrail,
    canRead ? { query: { ...filter, results: maxEntries, ...(isOtherCompany ? { companyId } : {}) } } : null,
    String(refreshKey),
  )
  const entries = response && toEntryRows(response.output)
  if (!canRead) return null
  const company: Record<string, string> = isOtherCompany ? { company: String(companyId) } : {}
  const path = `/app/systrail?${new URLSearchParams({ ...company, ...filter })}`
  return (
    <section className={isInDrawer ? 'trail-recent' : 'card trail-recent'} aria-labelledby={titleId}>
      <TrailStyles />
      {isInDrawer ? <h3 id={titleId}>{t('recent.title')}</h3> : <h2 id={titleId}>{t('recent.title')}</h2>}
      <EntryList entries={entries} />
      {!isInDrawer && <Link to={path}>{t('recent.all')}</Link>}
    </section>
  )
}

/** `entries` is undefined while they are being read, and null if the device has none. */
function EntryList({ entries }: { entries: ReturnType<typeof toEntryRows> | null | undefined }) {
  const { t } = useTranslation('audit')
  const entryFormatter = useEntryFormatter()
  if (entries === undefined) return <Skeleton lines={maxEntries} />
  if (entries === null) return <p className="trail-recent-none">{t('recent.notHere')}</p>
  if (entries.length === 0) return <p className="trail-recent-none">{t('recent.none')}</p>
  return (
    <ol>
      {entries.map((entry) => (
        <li key={entry.id}>
          <span>
            <Sentence text={entryFormatter.formatSentence(entry)} />
          </span>
          <span className="trail-recent-time">
            <EntryTime entry={entry} />
          </span>
        </li>
      ))}
    </ol>
  )
}
