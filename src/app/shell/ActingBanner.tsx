import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { stopActing } from '#contract/staff/acting-calls.ts'
import { endOverdueActing, readSession } from '#local/session/session.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { useAction } from '#state/use-action.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useConnection, useStore } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { useToday } from '#ui/page/use-today.ts'

interface ActingBannerProps {
  companyId: number
  company: string
  /** End of the consent in the business time zone. */
  until: string
  /** Whether the consent allows changes (decision 116). */
  allowsChanges: boolean
}

/** Always visible while the user acts for a customer: for whom, until when, whether changes are allowed, and how to stop (decision 111). */
export function ActingBanner({ companyId, company, until, allowsChanges }: ActingBannerProps) {
  const { t } = useTranslation('shell')
  const { networkState } = useConnection()
  const { run, isBusy } = useAction(stopActing)
  const today = useToday(null)
  const hasStoppedRef = useRef(false)
  const endTime = useLiveQuery(async () => (await readSession())?.actingUntil ?? null, [])

  async function stop() {
    hasStoppedRef.current = true
    const result = await run({})
    // A new page has nothing of the customer in its memory.
    if (result.kind !== 'problem') return location.assign(`/saas/app/m18/customer/${companyId}`)
    hasStoppedRef.current = false
    showToast({ kind: 'failed', text: formatProblem(result.problem) })
  }

  const latestRun = useRef(run)
  useEffect(() => {
    latestRun.current = run
  })
  useEffect(() => {
    if (!endTime) return
    const end = async () => {
      // The server is asked first, because the device would otherwise return to the customer while the server still allows it.
      const result = await latestRun.current({})
      if (result.kind === 'problem') await endOverdueActing(getThisDevice(), getBusinessNow())
    }
    const timer = setTimeout(() => void end(), Math.max(0, endTime - getBusinessNow()))
    return () => clearTimeout(timer)
  }, [endTime])

  // Acting ends elsewhere too: the customer revokes the consent, its time is over, or another tab stops.
  const store = useStore()
  const endedText = t('acting.ended', { company })
  const endedTextRef = useRef(endedText)
  useEffect(() => {
    endedTextRef.current = endedText
  })
  useEffect(
    () => () => {
      const { session } = store.getState()
      const isOwnAgain = session.kind === 'signed in' && session.user.acting_until === undefined
      if (isOwnAgain && !hasStoppedRef.current) showToast({ kind: 'note', text: endedTextRef.current })
    },
    [store],
  )

  return (
    <section className="acting" aria-label={t('acting.label')}>
      <p>
        <Icon name="lock" />
        <span>
          <strong lang={getNameLang(company)}>{t('acting.company', { company })}</strong>{' '}
          <span className="acting-facts">
            {t(allowsChanges ? 'acting.untilChanges' : 'acting.until', { time: until.slice(11, 16) })}
          </span>
          {until.slice(0, 10) !== today && (
            <span className="acting-date"> {t('acting.date', { date: until.slice(0, 10) })}</span>
          )}
          {/* The reason of the disabled buttons of all pages. */}
          <span className="acting-orders"> · {t('acting.noOrders')}</span>
        </span>
      </p>
      <Button
        isBusy={isBusy}
        disabledReason={networkState === 'online' ? null : t('acting.offline', { time: until.slice(11, 16) })}
        onClick={() => void stop()}
      >
        {t('acting.stop')}
      </Button>
    </section>
  )
}
