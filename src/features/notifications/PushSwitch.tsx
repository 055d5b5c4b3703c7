import { useEffect, useState } from 'react'
import { type NotificationChoice, registerPush, removePush, setNotificationChoice } from '#contract/notifications.ts'
import { deletePushSelection, storePushRegistration } from '#local/session/push-choice.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import type { Problem } from '#contract/problem.ts'
import { useTranslation } from 'react-i18next'
import {
  endPushSubscription,
  type PushState,
  readPushState,
  subscribeToPush,
} from '#features/notifications/push-subscription.ts'
import { restorePush } from '#features/notifications/restore-push.ts'

interface PushSwitchProps {
  publicKey: string
  choices: readonly NotificationChoice[]
  offlineReason: string | null
  onChanged: () => Promise<void>
}

/** Events that are pushed if the user switches push on and has not chosen any. */
const usualEvents: readonly NotificationChoice['event'][] = ['payment', 'service', 'backup', 'device']

/** Switches push messages in this browser on and off, and says why they are off. */
export function PushSwitch({ publicKey, choices, offlineReason, onChanged }: PushSwitchProps) {
  const { t } = useTranslation('notifications')
  const dispatch = useDispatch()
  const [state, setState] = useState<PushState | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const isOnline = offlineReason === null
  useEffect(() => {
    const showState = async () => setState(await readPushState())
    const update = async () => {
      await showState()
      if (!isOnline) return
      await dispatch(restorePush())
      await showState()
    }
    void update().catch(() => undefined)
  }, [dispatch, isOnline])

  async function switchOn() {
    const registration = await subscribeToPush(publicKey)
    if (!registration) return setHasFailed(Notification.permission === 'granted')
    const result = await dispatch(callEndpoint(registerPush, { body: registration }))
    if (result.kind === 'problem') return setProblem(result.problem)
    await storePushRegistration()
    if (!choices.some(({ push }) => push)) await chooseUsualEvents()
    await onChanged()
  }
  /** Shows the first problem and leaves out the events after it, because they would most likely fail as well. */
  async function chooseUsualEvents() {
    for (const event of usualEvents) {
      const result = await dispatch(callEndpoint(setNotificationChoice, { body: { event, channel: 'push', on: true } }))
      if (result.kind === 'problem') return setProblem(result.problem)
    }
  }
  async function switchOff() {
    await deletePushSelection()
    // The server ends the messages even if the browser cannot end its subscription.
    await endPushSubscription().catch(() => undefined)
    const result = await dispatch(callEndpoint(removePush, {}))
    if (result.kind === 'problem') setProblem(result.problem)
  }
  async function change(action: () => Promise<void>) {
    setIsBusy(true)
    setProblem(null)
    setHasFailed(false)
    try {
      await action()
    } catch {
      setHasFailed(true)
    } finally {
      setState(await readPushState().catch(() => state))
      setIsBusy(false)
    }
  }

  if (state === null) return null
  return (
    <section className="card push-switch" aria-labelledby="push-title">
      <h2 id="push-title">{t('push.title')}</h2>
      <p role="status">{t(hasFailed ? 'push.failed' : `push.state.${state}`)}</p>
      <ProblemNote problem={problem} shouldFocus />
      {(state === 'off' || state === 'on') && (
        <div>
          <Button
            isBusy={isBusy}
            disabledReason={offlineReason}
            onClick={() => void change(state === 'on' ? switchOff : switchOn)}
          >
            {t(state === 'on' ? 'push.off' : 'push.on')}
          </Button>
        </div>
      )}
    </section>
  )
}
