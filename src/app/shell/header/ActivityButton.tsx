import { lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import { loadWords } from '#app/i18n/i18n.ts'
import { whenSettled } from '#app/browser/idle.ts'
import { places } from '#app/routes/paths.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import { jobName } from '#features/activity/job-name.ts'
import { type ActivityCount, countActivity } from '#local/jobs/read-jobs.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

const Panel = lazy(async () => {
  const [{ Panel: Drawn }, { TaskOfService }] = await Promise.all([
    import(/* chunk: pages */ '#features/activity/JobsPanel.tsx'),
    import(/* chunk: pages */ '#app/pages/TaskOfService.tsx'),
    loadWords('activity'),
  ])
  return { default: (props: { all: string; onClose: () => void }) => <Drawn {...props} Service={TaskOfService} /> }
})

/** How many long requests are on their way, from every page; opens the list of them (C-27). */
export function ActivityButton() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const [shown, setShown] = useOpenOverPage()
  const counted = useLiveQuery(() => countActivity(), [])
  const { open = 0, unseen = 0 } = counted ?? {}
  useEffect(watch, [])
  useTold(counted, shown || pathname === places.activity.path, () => setShown(true))
  const label =
    open > 0
      ? t('activity.running', { count: open })
      : unseen > 0
        ? t('activity.ended', { count: unseen })
        : t('activity.open')
  const mark = open || unseen
  return (
    <>
      <span className={`bar-activity${mark === 0 ? ' idle' : ''}`}>
        <Button kind="plain" bare icon="activity" aria-haspopup="dialog" onClick={() => setShown(true)}>
          {label}
        </Button>
        {mark > 0 && (
          <span className={`bar-count${open > 0 ? '' : ' ended'}`} aria-hidden="true">
            {mark}
          </span>
        )}
      </span>
      {shown && (
        <Suspense fallback={null}>
          <Panel all={places.activity.path} onClose={() => setShown(false)} />
        </Suspense>
      )}
    </>
  )
}

/** What asks about them comes after the page, and stays as long as the frame. */
function watch() {
  let stop: (() => void) | undefined
  let gone = false
  void whenSettled()
    .then(() => import('#app/connection/job-timer.ts'))
    .then(({ watchJobs }) => {
      if (!gone) stop = watchJobs()
    })
  return () => {
    gone = true
    stop?.()
  }
}

/** A page that waited for it says itself what it came to, and marks it seen within this, ms. */
const ownWordMs = 500

/** Says which one has ended to whoever is looking elsewhere; not of those that had ended before this page came. */
function useTold(counted: ActivityCount | undefined, looking: boolean, show: () => void) {
  const { t } = useTranslation('shell')
  const before = useRef(counted?.unseen)
  useEffect(() => {
    const { unseen } = counted ?? {}
    const was = before.current
    if (unseen === was) return
    before.current = unseen
    if (was === undefined || (unseen ?? 0) <= was || looking) return
    setTimeout(() => void tell(was), ownWordMs)
    async function tell(known: number) {
      const [{ unseen: still, newest }] = await Promise.all([countActivity(), loadWords('activity')])
      if (still <= known || !newest) return
      const text = t('activity.told', { name: jobName(newest) })
      showToast({ kind: 'note', text, act: { label: t('activity.show'), run: show } })
    }
  })
}
