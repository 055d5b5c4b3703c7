import { lazy, Suspense, useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { loadWords } from '#app/i18n/i18n.ts'
import { places } from '#app/routes/paths.ts'
import { ports } from '#app/connection/api.ts'
import { readLoss } from '#local/outbox/data-loss.ts'
import { checkCounts } from '#request/writes/unsent-count.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Its words come when there is something to say, which hopefully is never. */
const Told = lazy(async () => {
  await loadWords('outbox')
  return { default: Bar }
})

/**
 * Looks once a visit whether this is still the database that the cookie speaks of: a browser that has cleared it keeps
 * the session's cookies, and nobody signs in (requirement 48). Says on every page what was lost, until it was seen.
 */
export function LossBar() {
  const { user } = useSignedIn()
  const { pathname } = useLocation()
  const { id: userId, company_id: companyId } = user
  useEffect(() => ports.lasting(checkCounts(ports, { companyId, userId })), [companyId, userId])
  const loss = useLiveQuery(() => readLoss(), [])
  // The outbox tells it at length, with what to do.
  if (!loss || pathname === places.outbox.path) return null
  return (
    <Suspense fallback={null}>
      <Told writes={loss.writes} />
    </Suspense>
  )
}

function Bar({ writes }: { writes: number }) {
  const { t } = useTranslation('outbox')
  return (
    <div className="update lost" role="alert">
      <p>
        <Icon name="alert" />
        <span>{t('loss.title', { count: writes })}</span>
      </p>
      <Link className="button quiet" to={places.outbox.path}>
        {t('loss.look')}
      </Link>
    </div>
  )
}
