import { lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { routes } from '#app/routes/paths.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import type { ActivityTab } from '#features/activity/JobsPanel.tsx'
import { getJobName } from '#features/activity/job-name.ts'
import { useInbox } from '#features/activity/useInbox.ts'
import { type ActivityCount, countActivity } from '#local/jobs/read-jobs.ts'
import type { PageMessage } from '#request/ports.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

const LazyPanel = lazy(async () => {
  const [{ JobsPanel: PanelPart }, { ServiceTaskResult }] = await Promise.all([
    import(/* chunk: pages */ '#features/activity/JobsPanel.tsx'),
    import(/* chunk: pages */ '#app/pages/ServiceTaskResult.tsx'),
    loadPageMessages('activity', 'notifications', 'problem'),
  ])
  return {
    default: (props: { allPath: string; initialTab: ActivityTab; onClose: () => void }) => (
      <PanelPart {...props} ServiceResult={ServiceTaskResult} />
    ),
  }
})

/** Shows on every page how many notifications are unread and how many long requests are running, and opens both (C-27). */
export function ActivityButton() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const [isOpen, setIsOpen] = useOpenOverPage()
  const activity = useLiveQuery(() => countActivity(), [])
  const { openCount, unseenCount } = activity ?? noActivity
  const { unreadCount, refetch } = useInbox()
  useInboxRefresh(refetch, unseenCount)
  useAppBadge(unreadCount)
  usePush(refetch)
  useEffect(startJobTimer, [])
  useEndedNotice(activity, isOpen || pathname === routes.activity.path, () => setIsOpen(true))
  const parts = [
    unreadCount > 0 && t('activity.unread', { count: unreadCount }),
    openCount > 0 && t('activity.running', { count: openCount }),
    unseenCount > 0 && t('activity.ended', { count: unseenCount }),
  ].filter((part) => part !== false)
  const label = parts.length === 0 ? t('activity.open') : t('activity.label', { parts: parts.join(' · ') })
  const markCount = unreadCount || openCount || unseenCount
  return (
    <>
      <span className={`bar-activity${markCount === 0 ? ' idle' : ''}`}>
        <Button kind="plain" isIconOnly icon="activity" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
          {label}
        </Button>
        {markCount > 0 && (
          <span className={`bar-count${unreadCount + openCount > 0 ? '' : ' ended'}`} aria-hidden="true">
            {markCount > maxMarkCount ? `${maxMarkCount}+` : markCount}
          </span>
        )}
      </span>
      {isOpen && (
        <Suspense fallback={null}>
          <LazyPanel
            allPath={routes.activity.path}
            initialTab={openCount + unseenCount > 0 ? 'tasks' : 'inbox'}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

const maxMarkCount = 99
/** In ms. Notifications arrive at once only by push; a page that is in use reads them at this interval. */
const refreshMs = 60_000

/**
 * Reads the inbox again when a long request has ended, when the page is shown again, and once a minute while the user uses the page. A page
 * must not send requests by itself, because its session would never end.
 */
function useInboxRefresh(refetch: () => Promise<void>, unseenCount: number) {
  useEffect(() => {
    if (unseenCount > 0) void refetch()
  }, [refetch, unseenCount])
  useEffect(() => {
    let isUsed = false
    const markUsed = () => void (isUsed = true)
    const refresh = () => {
      if (!isUsed || document.visibilityState !== 'visible') return
      isUsed = false
      void refetch()
    }
    const timer = setInterval(refresh, refreshMs)
    const refreshIfVisible = () => {
      if (document.visibilityState === 'visible') void refetch()
    }
    addEventListener('pointerdown', markUsed, true)
    addEventListener('keydown', markUsed, true)
    document.addEventListener('visibilitychange', refreshIfVisible)
    return () => {
      clearInterval(timer)
      removeEventListener('pointerdown', markUsed, true)
      removeEventListener('keydown', markUsed, true)
      document.removeEventListener('visibilitychange', refreshIfVisible)
    }
  }, [refetch])
}

/** Registers this browser for push messages again, and follows the messages of the worker. */
function usePush(refetch: () => Promise<void>) {
  const dispatch = useDispatch()
  const navigate = useNavigate()
  useEffect(() => {
    void waitForFirstPage()
      .then(() => import(/* chunk: pages */ '#features/notifications/restore-push.ts'))
      .then(({ restorePush }) => dispatch(restorePush()))
      .catch(() => undefined)
  }, [dispatch])
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    const { serviceWorker } = navigator
    const receive = ({ data }: MessageEvent) => {
      const { type } = (data ?? {}) as Partial<PageMessage>
      if (type === 'notification') void refetch()
      if (type === 'open inbox') void navigate(routes.activity.path)
    }
    serviceWorker.addEventListener('message', receive)
    return () => serviceWorker.removeEventListener('message', receive)
  }, [refetch, navigate])
}

/** Shows the number of unread notifications at the icon of the installed app. Removed when the user signs out. */
function useAppBadge(unreadCount: number) {
  useEffect(() => {
    if (!('setAppBadge' in navigator)) return
    void (unreadCount > 0 ? navigator.setAppBadge(unreadCount) : navigator.clearAppBadge()).catch(() => undefined)
  }, [unreadCount])
  useEffect(
    () => () => {
      if ('clearAppBadge' in navigator) void navigator.clearAppBadge().catch(() => undefined)
    },
    [],
  )
}

const noActivity = { openCount: 0, unseenCount: 0 }

function startJobTimer() {
  let stop: (() => void) | undefined
  let isStopped = false
  void waitForFirstPage()
    .then(() => import('#app/connection/job-timer.ts'))
    .then(({ watchJobs }) => {
      if (!isStopped) stop = watchJobs()
    })
  return () => {
    isStopped = true
    stop?.()
  }
}

/** Wait before a job's end is announced, in ms. A page that shows the job's result itself marks the job as seen within this time. */
const pageNoticeMs = 500

/** Shows a message when a job has ended while the user is on another page. Jobs that ended before this page opened are not announced. */
function useEndedNotice(activity: ActivityCount | undefined, isActivityVisible: boolean, onShow: () => void) {
  const { t } = useTranslation('shell')
  const lastUnseenCount = useRef(activity?.unseenCount)
  useEffect(() => {
    const { unseenCount } = activity ?? {}
    const previousCount = lastUnseenCount.current
    if (unseenCount === previousCount) return
    lastUnseenCount.current = unseenCount
    if (previousCount === undefined || (unseenCount ?? 0) <= previousCount || isActivityVisible) return
    setTimeout(() => void notifyEnded(previousCount), pageNoticeMs)
    async function notifyEnded(knownCount: number) {
      const [{ unseenCount: currentCount, latestEndpoint }] = await Promise.all([
        countActivity(),
        loadPageMessages('activity'),
      ])
      if (currentCount <= knownCount || !latestEndpoint) return
      const text = t('activity.told', { name: getJobName(latestEndpoint) })
      showToast({ kind: 'note', text, action: { label: t('activity.show'), onRun: onShow } })
    }
  })
}
