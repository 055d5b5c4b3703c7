import { useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { toEntryRows } from '#features/audit-trail/entry/read-entry.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

const trailPath = '/app/systrail'
const maxEntries = 5

/** What was done lately in the own company, for who may read its trail (D51): each entry leads to itself. */
export function LatestEntries() {
  const { t } = useTranslation('audit')
  const entryFormatter = useEntryFormatter()
  const entries = useLatestEntries()
  return (
    <section className="card home-card" aria-labelledby="home-latest">
      <h2 id="home-latest">{t('recent.title')}</h2>
      {entries === undefined && <Skeleton lines={5} />}
      {entries === null && <p className="home-note">{t('recent.notHere')}</p>}
      {entries?.length === 0 && <p className="home-note">{t('recent.none')}</p>}
      {entries && entries.length > 0 && (
        <ul className="home-list">
          {entries.map((entry) => (
            <li key={entry.id}>
              <Link className="home-entry" to={`${trailPath}?entry=${entry.id}`}>
                <span>
                  {entryFormatter.formatType(entry)}: {entryFormatter.formatOperation(entry)}
                  {entry.status === -1 && ` · ${entryFormatter.formatStatus(entry)}`}
                </span>
                <span className="home-note">{entryFormatter.formatSubject(entry)}</span>
                <span className="home-note">
                  <bdi lang={getNameLang(entryFormatter.formatUser(entry))}>{entryFormatter.formatUser(entry)}</bdi> ·{' '}
                  <time>{entry.end_time}</time>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Link className="home-all" to={trailPath}>
        {t('recent.all')}
      </Link>
    </section>
  )
}

/** Newest first; undefined: being asked for; null: neither the server nor the device can say. */
function useLatestEntries(): AuditEntryRow[] | null | undefined {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [entries, setEntries] = useState<AuditEntryRow[] | null | undefined>()
  // biome-ignore lint: the connection is not used, its coming back is the reason
  useEffect(() => {
    let isCancelled = false
    void dispatch(callEndpoint(listTrail, { query: { results: maxEntries } })).then((result) => {
      const recentEntries = 'output' in result && result.output ? toEntryRows(result.output) : null
      // What was read stays while the line is away.
      if (!isCancelled) setEntries((previous) => recentEntries ?? previous ?? null)
    })
    return () => void (isCancelled = true)
  }, [dispatch, isOnline])
  return entries
}
