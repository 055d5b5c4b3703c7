import { lazy, Suspense, useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { loadWords } from '#app/i18n/i18n.ts'
import { places } from '#app/routes/paths.ts'
import { ports } from '#app/connection/api.ts'
import { writeKinds } from '#local/outbox/counters.ts'
import { type DataLoss, onDeleted, readLoss } from '#local/outbox/data-loss.ts'
import { thisDevice } from '#local/storage/device.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { useSignedIn } from '#state/hooks.ts'
import { tellChanged } from '#state/live-changes.ts'
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
  useEffect(() => {
    const subject = { companyId, userId }
    const look = async () => {
      if (await checkCounts(ports, subject)) tellChanged('database')
    }
    ports.lasting(look())
    return onDeleted(thisDevice().of(subject), () => ports.lasting(look()))
  }, [companyId, userId])
  const loss = useLiveQuery(() => readLoss(), [])
  // The outbox tells it at length, with what to do.
  if (!loss || pathname === places.outbox.path) return null
  return (
    <Suspense fallback={null}>
      <Told {...loss} />
    </Suspense>
  )
}

function Bar({ writes, kinds }: DataLoss) {
  const { t } = useTranslation('outbox')
  const title = t('loss.title', { count: writes })
  const lost = writeKinds.filter((kind) => kinds[kind])
  const list = lost.map((kind) => t(`loss.kind.${kind}`, { number: kinds[kind] ?? 0 })).join(t('and'))
  return (
    <div className="update lost" role="alert">
      <p>
        <Icon name="alert" />
        <span>{list ? t('loss.named', { title, list }) : title}</span>
      </p>
      <Link className="button quiet" to={places.outbox.path}>
        {t('loss.look')}
      </Link>
    </div>
  )
}
