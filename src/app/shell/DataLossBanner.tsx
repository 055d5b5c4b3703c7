import { lazy, Suspense, useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import { routes } from '#app/routes/paths.ts'
import { ports } from '#app/connection/api.ts'
import { writeKinds } from '#local/outbox/counters.ts'
import { type DataLoss, subscribeToDeletion, readDataLoss } from '#local/outbox/data-loss.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { notifyChanged } from '#state/live-changes.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** The texts are loaded only when there is a loss, which is rare. */
const LazyLossMessage = lazy(async () => {
  await loadPageMessages('outbox')
  return { default: LossMessage }
})

/**
 * Checks once per visit whether writes were lost with a deleted database: the cookie has the number of unsent writes. A browser that
 * deletes the database may keep the session's cookies, so no sign-in would check it (requirement 48). A loss is shown on every page until
 * the user has acknowledged it.
 */
export function DataLossBanner() {
  const { user } = useSignedInSession()
  const { pathname } = useLocation()
  const { id: userId, company_id: companyId } = user
  useEffect(() => {
    const subject = { companyId, userId }
    const checkLoss = async () => {
      if (await checkCounts(ports, subject)) notifyChanged('database')
    }
    ports.keepAlive(checkLoss())
    return subscribeToDeletion(getThisDevice().getDatabase(subject), () => ports.keepAlive(checkLoss()))
  }, [companyId, userId])
  const loss = useLiveQuery(() => readDataLoss(), [])
  // The outbox page shows the loss in detail.
  if (!loss || pathname === routes.outbox.path) return null
  return (
    <Suspense fallback={null}>
      <LazyLossMessage {...loss} />
    </Suspense>
  )
}

function LossMessage({ writes, kinds }: DataLoss) {
  const { t } = useTranslation('outbox')
  const title = t('loss.title', { count: writes })
  const lostKinds = writeKinds.filter((kind) => kinds[kind])
  const lostText = lostKinds.map((kind) => t(`loss.kind.${kind}`, { number: kinds[kind] ?? 0 })).join(t('and'))
  return (
    <div className="update lost" role="alert">
      <p>
        <Icon name="alert" />
        <span>{lostText ? t('loss.named', { title, list: lostText }) : title}</span>
      </p>
      <Link className="button quiet" to={routes.outbox.path}>
        {t('loss.look')}
      </Link>
    </div>
  )
}
