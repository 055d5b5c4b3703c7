import { useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { rowsOf } from '#features/audit-trail/entry/read-entry.ts'
import { useEntryWords } from '#features/audit-trail/entry-words.ts'
import { langOf } from '#ui/i18n/name-language.ts'

const trail = '/app/systrail'
const count = 5

/** What was done lately in the own company, for who may read its trail (D51): each entry leads to itself. */
export function LatestEntries() {
  const { t } = useTranslation('audit')
  const words = useEntryWords()
  const entries = useLatest()
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
              <Link className="home-entry" to={`${trail}?entry=${entry.id}`}>
                <span>
                  {words.typeOf(entry)}: {words.operationOf(entry)}
                  {entry.status === -1 && ` · ${words.statusOf(entry)}`}
                </span>
                <span className="home-note">{words.aboutOf(entry)}</span>
                <span className="home-note">
                  <bdi lang={langOf(words.whoOf(entry))}>{words.whoOf(entry)}</bdi> · <time>{entry.end_time}</time>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Link className="home-all" to={trail}>
        {t('recent.all')}
      </Link>
    </section>
  )
}

/** Newest first; undefined: being asked for; null: neither the server nor the device can say. */
function useLatest(): AuditEntryRow[] | null | undefined {
  const dispatch = useDispatch()
  const isOnline = useConnection().line === 'online'
  const [entries, setEntries] = useState<AuditEntryRow[] | null | undefined>()
  // biome-ignore lint: the connection is not used, its coming back is the reason
  useEffect(() => {
    let isOver = false
    void dispatch(callEndpoint(listTrail, { query: { results: count } })).then((result) => {
      const found = 'output' in result && result.output ? rowsOf(result.output) : null
      // What was read stays while the line is away.
      if (!isOver) setEntries((before) => found ?? before ?? null)
    })
    return () => void (isOver = true)
  }, [dispatch, isOnline])
  return entries
}
