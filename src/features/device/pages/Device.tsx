import '#ui/icons/app-icons.ts'
import '#features/device/style.css'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import { ListsCard } from '#features/device/components/ListsCard.tsx'
import { SharedDevice } from '#features/device/components/SharedDevice.tsx'
import { StorageCard } from '#features/device/components/StorageCard.tsx'
import { countWritesOfOtherUsers } from '#local/outbox/other-users.ts'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { readUsage } from '#local/space/usage.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'

/** Shows what is stored, its size and how long it stays (P-18). `panel`: prepares the device for work offline. */
export function Device({ panel }: { panel: ReactNode }) {
  const { t } = useTranslation('device')
  // Number of requests to the browser to keep the stored data. Usage is read again after each request.
  const [storageRequestCount, setStorageRequestCount] = useState(0)
  const storage = useLiveQuery(() => readUsage(), [storageRequestCount])
  const waitingCount = useLiveQuery(() => countWaiting(), []) ?? 0
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow">
      {panel}
      <ListsCard lists={storage?.lists} waitingCount={waitingCount} />
      {/* The cards below follow when the height of the lists is known, so that nothing moves. */}
      {storage && (
        <>
          <StorageCard storage={storage} onAnswered={() => setStorageRequestCount(storageRequestCount + 1)} />
          <UnsentChanges waitingCount={waitingCount} />
          <SharedDevice />
        </>
      )}
    </Page>
  )
}

/** Shows changes that exist only on this device. Nothing on this page deletes them. */
function UnsentChanges({ waitingCount }: { waitingCount: number }) {
  const { t } = useTranslation('device')
  const otherUsersCount = useLiveQuery(() => countWritesOfOtherUsers(), [])
  return (
    <section className="card" aria-labelledby="device-own">
      <h2 id="device-own">{t('own.title')}</h2>
      <ul className="device-own">
        <li>
          <Icon name={waitingCount > 0 ? 'waiting' : 'check'} />
          <span>
            {waitingCount > 0 ? t('own.waiting', { count: waitingCount }) : t('own.none')}{' '}
            <Link to="/app/outbox">{t('own.toOutbox')}</Link>
          </span>
        </li>
        {otherUsersCount !== undefined && otherUsersCount > 0 && (
          <li>
            <Icon name="lock" />
            <span>{t('own.sealed', { count: otherUsersCount })}</span>
          </li>
        )}
      </ul>
      <p className="field-help">{t('own.text')}</p>
    </section>
  )
}
