import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { toEntryRows } from '#features/audit-trail/entry/entry-rows.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

const trailPath = '/app/systrail'
const maxEntries = 5

/** Shows the latest entries of the user's company to users who may read its audit trail (D51). Each links to its details. */
export function LatestEntries() {
  const { t } = useTranslation('audit')
  const entryFormatter = useEntryFormatter()
  const { response } = useTrailResponse(listTrail, { query: { results: maxEntries } })
  const entries = response && toEntryRows(response.output)
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
