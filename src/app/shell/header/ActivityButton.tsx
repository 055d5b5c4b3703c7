import { type ComponentProps, lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { routes } from '#app/routes/paths.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import type { ActivityTab } from '#features/activity/JobsPanel.tsx'
import { getJobName } from '#features/activity/job-name.ts'
import { useInbox } from '#features/activity/useInbox.ts'
import { useMarkSender } from '#features/activity/useMarkSender.ts'
import { type ActivityCount, countActivity } from '#local/jobs/read-jobs.ts'
import type { PageMessage } from '#request/ports.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
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
    default: (props: Omit<ComponentProps<typeof PanelPart>, 'ServiceResult'>) => (
      <PanelPart {...props} ServiceResult={ServiceTaskResult} />
    ),
  }
})

/** Shows on every page how many notifications are unread and how many long requests are running, and opens both (C-27). */
export function ActivityButton() {
  const { t } = useTranslation('shell')
  const { pathname, search } = useLocation()
  const [isOpen, setIsOpen] = useOpenOverPage()
  const [tab, setTab] = useState<ActivityTab>('inbox')
  const activity = useLiveQuery(() => countActivity(), [])
  const { openCount, unseenCount } = activity ?? noActivity
  const { unreadCount, refetch } = useInbox()
  useInboxRefresh(refetch, unseenCount)
  useAppBadge(unreadCount)
  usePush(refetch)
  useEffect(startJobTimer, [])
  const open = (openTab: ActivityTab) => {
    setTab(openTab)
    setIsOpen(true)
  }
  const isTasksPage = pathname === routes.activity.path && new URLSearchParams(search).get('tab') === 'tasks'
  useEndedNotice(activity, (isOpen && tab === 'tasks') || isTasksPage, () => open('tasks'))
  const parts = [
    unreadCount > 0 && t('activity.unread', { count: unreadCount }),
    openCount > 0 && t('activity.running', { count: openCount }),
    unseenCount > 0 && t('activity.ended', { count: unseenCount }),
  ].filter((part) => part !== false)
  const label = parts.length === 0 ? t('activity.open') : t('activity.label', { parts: parts.join(' · ') })
  const hasTasks = openCount + unseenCount > 0
  return (
    <>
      <span className={`bar-activity${unreadCount > 0 || hasTasks ? '' : ' idle'}`}>
        <Button
          kind="plain"
          isIconOnly
          icon="activity"
          aria-haspopup="dialog"
          onClick={() => open(unreadCount === 0 && hasTasks ? 'tasks' : 'inbox')}
        >
          {label}
        </Button>
        <CountMark count={unreadCount || openCount || unseenCount} isEnded={unreadCount + openCount === 0} />
      </span>
      {isOpen && (
        <Suspense fallback={null}>
          <LazyPanel allPath={routes.activity.path} onClose={() => setIsOpen(false)} tab={tab} onTabChange={setTab} />
        </Suspense>
      )}
    </>
  )
}

const maxMarkCount = 99

function CountMark({ count, isEnded }: { count: number; isEnded: boolean }) {
  if (count === 0) return null
  return (
    <span className={`bar-count${isEnded ? ' ended' : ''}`} aria-hidden="true">
      {count > maxMarkCount ? `${maxMarkCount}+` : count}
    </span>
  )
}

/** In ms. Notifications arrive at once only by push; a page that is in use reads them at this interval. */
const refreshMs = 60_000

/**
 * Sends read marks, and reads the inbox again when a long request has ended, when the page is shown again, and once a minute while the user uses the page. A page
 * must not send requests by itself, because its session would never end.
 */
function useInboxRefresh(readInbox: () => Promise<void>, unseenCount: number) {
  const sendMarks = useMarkSender(readInbox)
  const refetch = useCallback(async () => {
    sendMarks()
    await readInbox()
  }, [sendMarks, readInbox])
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
  const isOnline = useConnection().networkState === 'online'
  useEffect(() => {
    if (!isOnline) return
    void waitForFirstPage()
      .then(() => import(/* chunk: pages */ '#features/notifications/restore-push.ts'))
      .then(({ restorePush }) => dispatch(restorePush()))
      .catch(() => undefined)
  }, [dispatch, isOnline])
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    const { serviceWorker } = navigator
    const receive = ({ data, ports: [port] }: MessageEvent) => {
      const message = (data ?? {}) as Partial<PageMessage>
      if (message.type === 'notification') void refetch()
      if (message.type !== 'open page' || message.path === undefined) return
      port?.postMessage('yes')
      void navigate(message.path)
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
