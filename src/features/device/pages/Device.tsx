import '#ui/icons/app-icons.ts'
import '#features/device/style.css'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { ClearDialog } from '#features/device/components/ClearDialog.tsx'
import { Lists } from '#features/device/components/Lists.tsx'
import { SharedDevice } from '#features/device/components/SharedDevice.tsx'
import { Storage } from '#features/device/components/Storage.tsx'
import { pageOpened, refreshLists, selectRefresh } from '#features/device/refresh-lists.ts'
import { countOfOthers } from '#local/outbox/other-users.ts'
import { readUsage } from '#local/space/usage.ts'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
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
  const [asked, setAsked] = useState(0)
  const room = useLiveQuery(() => readUsage(), [asked])
  const waiting = useLiveQuery(() => countWaiting(), [])
  const { busy, problem, again } = useRefresh()
  const { line } = useConnection()
  const [clearing, setClearing] = useState(false)
  const lists = room?.lists ?? []
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
                busy={busy}
                whyNot={line === 'online' ? null : t('lists.needsConnection')}
                onClick={() => void again(lists)}
              >
                {t('lists.refresh')}
              </Button>
              <Button icon="remove" aria-haspopup="dialog" onClick={() => setClearing(true)}>
                {t('lists.clear')}
              </Button>
            </div>
          )}
        </div>
        <ProblemNote problem={problem} title={t('lists.failed')} />
        {room === undefined && <Skeleton />}
        {room !== undefined && lists.length === 0 && (
          <EmptyState icon="device" title={t('lists.none')}>
            <p>{t('lists.noneText')}</p>
          </EmptyState>
        )}
        {lists.length > 0 && <Lists lists={lists} />}
      </section>
      {room && <Storage room={room} onAsked={() => setAsked(asked + 1)} />}
      <Own waiting={waiting ?? 0} />
      <SharedDevice />
      {clearing && (
        <ClearDialog waiting={waiting ?? 0} isOnline={line === 'online'} onClose={() => setClearing(false)} />
      )}
    </Page>
  )
}

function useRefresh() {
  const { t } = useTranslation('device')
  const dispatch = useDispatch()
  const { isRefreshing: busy, problem } = useSelector(selectRefresh)
  useEffect(() => void dispatch(pageOpened()), [dispatch])
  async function again(lists: Parameters<typeof refreshLists>[0]) {
    const action = await dispatch(refreshLists(lists))
    if (refreshLists.fulfilled.match(action)) showToast({ kind: 'done', text: t('lists.refreshed') })
  }
  return { busy, problem, again }
}

/** What exists only here, which nothing on this page takes away. */
function Own({ waiting }: { waiting: number }) {
  const { t } = useTranslation('device')
  const others = useLiveQuery(() => countOfOthers(), [])
  return (
    <section className="card" aria-labelledby="device-own">
      <h2 id="device-own">{t('own.title')}</h2>
      <ul className="device-own">
        <li>
          <Icon name={waiting > 0 ? 'waiting' : 'check'} />
          <span>
            {waiting > 0 ? t('own.waiting', { count: waiting }) : t('own.none')}{' '}
            <Link to="/app/outbox">{t('own.toOutbox')}</Link>
          </span>
        </li>
        {others !== undefined && others > 0 && (
          <li>
            <Icon name="lock" />
            <span>{t('own.sealed', { count: others })}</span>
          </li>
        )}
      </ul>
      <p className="field-help">{t('own.text')}</p>
    </section>
  )
}
