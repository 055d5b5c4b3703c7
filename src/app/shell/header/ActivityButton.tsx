import { lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { routes } from '#app/routes/paths.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import { getJobName } from '#features/activity/job-name.ts'
import { type ActivityCount, countActivity } from '#local/jobs/read-jobs.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

const LazyPanel = lazy(async () => {
  const [{ JobsPanel: PanelPart }, { ServiceTaskResult }] = await Promise.all([
    import(/* chunk: pages */ '#features/activity/JobsPanel.tsx'),
    import(/* chunk: pages */ '#app/pages/ServiceTaskResult.tsx'),
    loadPageMessages('activity'),
  ])
  return {
    default: (props: { allPath: string; onClose: () => void }) => (
      <PanelPart {...props} ServiceResult={ServiceTaskResult} />
    ),
  }
})

/** Shows on every page how many long requests are running, and opens their list (C-27). */
export function ActivityButton() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const [isOpen, setIsOpen] = useOpenOverPage()
  const activity = useLiveQuery(() => countActivity(), [])
  const { openCount, unseenCount } = activity ?? noActivity
  useEffect(startJobTimer, [])
  useEndedNotice(activity, isOpen || pathname === routes.activity.path, () => setIsOpen(true))
  const label =
    openCount > 0
      ? t('activity.running', { count: openCount })
      : unseenCount > 0
        ? t('activity.ended', { count: unseenCount })
        : t('activity.open')
  const markCount = openCount || unseenCount
  return (
    <>
      <span className={`bar-activity${markCount === 0 ? ' idle' : ''}`}>
        <Button kind="plain" isIconOnly icon="activity" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
          {label}
        </Button>
        {markCount > 0 && (
          <span className={`bar-count${openCount > 0 ? '' : ' ended'}`} aria-hidden="true">
            {markCount}
          </span>
        )}
      </span>
      {isOpen && (
        <Suspense fallback={null}>
          <LazyPanel allPath={routes.activity.path} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
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
