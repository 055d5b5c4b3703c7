import { Link } from 'react-router-dom'
import { listTrail } from '#contract/audit-trail.ts'
import { Button } from '#ui/display/Button.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { EntryTime } from '#features/audit-trail/entry/EntryTime.tsx'
import { toEntryRows } from '#features/audit-trail/entry/entry-rows.ts'
import { Sentence } from '#features/audit-trail/sentence/Sentence.tsx'
import { TrailStyles } from '#features/audit-trail/TrailStyles.tsx'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { useStoredSwitch } from '#ui/display/useStoredSwitch.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'

const trailPath = '/app/systrail'
const maxEntries = 5

/**
 * Shows the latest entries of the user's company to users who may read its audit trail (D51). Each links to its details. Logins are left
 * out unless the user asks for them, because they would hide everything else.
 */
export function LatestEntries() {
  const { t } = useTranslation('audit')
  const entryFormatter = useEntryFormatter()
  const [hasLogins, setHasLogins] = useStoredSwitch('portal.homeLogins', () => false)
  const { response } = useTrailResponse(listTrail, {
    query: { results: maxEntries, ...(hasLogins ? {} : { withoutLogins: true }) },
  })
  const entries = response && toEntryRows(response.output)
  return (
    <section className="card home-card" aria-labelledby="home-latest">
      <TrailStyles />
      <div className="trail-latest-head">
        <h2 id="home-latest">{t('recent.title')}</h2>
        <Button kind="plain" onClick={() => setHasLogins(!hasLogins)}>
          {t(hasLogins ? 'recent.hideLogins' : 'recent.showLogins')}
        </Button>
      </div>
      {entries === undefined && <Skeleton lines={5} />}
      {entries === null && <p className="home-note">{t('recent.notHere')}</p>}
      {entries?.length === 0 && <p className="home-note">{t('recent.none')}</p>}
      {entries && entries.length > 0 && (
        <ul className="home-list">
          {entries.map((entry) => (
            <li key={entry.id}>
              <Link className="home-entry" to={`${trailPath}?entry=${entry.id}`}>
                <span>
                  <Sentence text={entryFormatter.formatSentence(entry)} />
                </span>
                <span className="home-note">
                  <EntryTime entry={entry} />
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
