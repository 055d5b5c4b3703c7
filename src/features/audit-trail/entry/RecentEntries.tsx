import { useEffect, useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import type { AuditEntryRow, AuditMenu } from '#domain/audit-log/leaf.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { historyPath } from '#ui/links/history-path.ts'
import { useTranslation } from 'react-i18next'
import { rowsOf } from '#features/audit-trail/entry/read-entry.ts'
import { useEntryWords } from '#features/audit-trail/entry-words.ts'
import { Sheet } from '#features/audit-trail/TrailStyles.tsx'
import { langOf } from '#ui/i18n/name-language.ts'

export interface RecentEntriesProps {
  code: AuditMenu
  /** As entries name the record. */
  name: string
  companyId: number
  /** Asked again when it is another one: something was done. */
  mark: unknown
}

const count = 5

/** What was done to a record lately, for who may read the trail (D51); nothing is drawn for others. */
export function RecentEntries({ code, name, companyId, mark }: RecentEntriesProps) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedIn()
  const dispatch = useDispatch()
  const words = useEntryWords()
  const title = useId()
  const path = historyPath({ code, name, companyId }, caller)
  const mayRead = path !== null
  const isOwn = companyId === caller.companyId
  const [entries, setEntries] = useState<AuditEntryRow[] | null | undefined>()
  const asked = String(mark)
  useEffect(() => {
    let isOver = false
    if (!mayRead) return
    const query = { code, searchText: name, results: count, ...(isOwn ? {} : { companyId }) }
    void dispatch(readRecent(query)).then((found) => {
      // What was read stays while the line is away.
      if (!isOver) setEntries((before) => found ?? before ?? null)
    })
    return () => void (isOver = true)
  }, [asked, code, companyId, dispatch, isOwn, mayRead, name])
  if (path === null || entries === undefined) return null
  return (
    <section className="card trail-recent" aria-labelledby={title}>
      <Sheet />
      <h2 id={title}>{t('recent.title')}</h2>
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
                {words.operationOf(entry)}
                {entry.status === -1 && ` · ${words.statusOf(entry)}`}
              </span>
              <bdi lang={langOf(words.whoOf(entry))}>{words.whoOf(entry)}</bdi>
            </li>
          ))}
        </ol>
      )}
      <Link to={path}>{t('recent.all')}</Link>
    </section>
  )
}

type Query = { code: AuditMenu; searchText: string; results: number; companyId?: number }

/** Newest first; null: neither the server nor the device can say. */
const readRecent =
  (query: Query): AppThunk<AuditEntryRow[] | null> =>
  async (dispatch) => {
    const result = await dispatch(callEndpoint(listTrail, { query }))
    return 'output' in result && result.output ? rowsOf(result.output) : null
  }
