import '#ui/icons/app-icons.ts'
import '#features/device/style.css'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { ClearDialog } from '#features/device/components/ClearDialog.tsx'
import { CachedLists } from '#features/device/components/CachedLists.tsx'
import { SharedDevice } from '#features/device/components/SharedDevice.tsx'
import { StorageCard } from '#features/device/components/StorageCard.tsx'
import { pageOpened, refreshLists, selectRefresh } from '#features/device/refresh-lists.ts'
import { countWritesOfOtherUsers } from '#local/outbox/other-users.ts'
import { readUsage } from '#local/space/usage.ts'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

/** What of the portal is on this device, how much room it takes and how long it stays (P-18). Works without a network. `panel`: what prepares it. */
export function Device({ panel }: { panel: ReactNode }) {
  const { t } = useTranslation('device')
  // Counted anew when the browser has been asked for its promise.
  const [storageRequestCount, setStorageRequestCount] = useState(0)
  const storage = useLiveQuery(() => readUsage(), [storageRequestCount])
  const waitingCount = useLiveQuery(() => countWaiting(), [])
  const { isBusy, problem, refreshAll } = useRefresh()
  const { networkState: connection } = useConnection()
  const [isClearing, setIsClearing] = useState(false)
  const lists = storage?.lists ?? []
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow">
      {panel}
      <section className="card" aria-labelledby="device-lists">
        <div className="device-head">
          <div>
            <h2 id="device-lists">{t('lists.title')}</h2>
            <p className="field-help">{t('lists.lead')}</p>
          </div>
          {lists.length > 0 && (
            <div className="device-acts">
              <Button
                icon="refresh"
                isBusy={isBusy}
                disabledReason={connection === 'online' ? null : t('lists.needsConnection')}
                onClick={() => void refreshAll(lists)}
              >
                {t('lists.refresh')}
              </Button>
              <Button icon="remove" aria-haspopup="dialog" onClick={() => setIsClearing(true)}>
                {t('lists.clear')}
              </Button>
            </div>
          )}
        </div>
        <ProblemNote problem={problem} title={t('lists.failed')} />
        {storage === undefined && <Skeleton />}
        {storage !== undefined && lists.length === 0 && (
          <EmptyState icon="device" title={t('lists.none')}>
            <p>{t('lists.noneText')}</p>
          </EmptyState>
        )}
        {lists.length > 0 && <CachedLists lists={lists} />}
      </section>
      {storage && <StorageCard storage={storage} onAnswered={() => setStorageRequestCount(storageRequestCount + 1)} />}
      <UnsentChanges waitingCount={waitingCount ?? 0} />
      <SharedDevice />
      {isClearing && (
        <ClearDialog
          waitingCount={waitingCount ?? 0}
          isOnline={connection === 'online'}
          onClose={() => setIsClearing(false)}
        />
      )}
    </Page>
  )
}

function useRefresh() {
  const { t } = useTranslation('device')
  const dispatch = useDispatch()
  const { isRefreshing: isBusy, problem } = useSelector(selectRefresh)
  useEffect(() => void dispatch(pageOpened()), [dispatch])
  async function refreshAll(lists: Parameters<typeof refreshLists>[0]) {
    const action = await dispatch(refreshLists(lists))
    if (refreshLists.fulfilled.match(action)) showToast({ kind: 'done', text: t('lists.refreshed') })
  }
  return { isBusy, problem, refreshAll }
}

/** What exists only here, which nothing on this page takes away. */
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
