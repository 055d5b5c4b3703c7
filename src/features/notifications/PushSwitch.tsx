import { useEffect, useState } from 'react'
import { type NotificationChoice, registerPush, removePush, setNotificationChoice } from '#contract/notifications.ts'
import { storePushChoice } from '#local/session/push-choice.ts'
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
  useEffect(() => void readPushState().then(setState), [])

  async function switchOn() {
    const registration = await subscribeToPush(publicKey)
    if (!registration) return setHasFailed(Notification.permission === 'granted')
    const result = await dispatch(callEndpoint(registerPush, { body: registration }))
    if (result.kind === 'problem') return setProblem(result.problem)
    await storePushChoice(true)
    if (!choices.some(({ push }) => push))
      for (const event of usualEvents)
        await dispatch(callEndpoint(setNotificationChoice, { body: { event, channel: 'push', on: true } }))
    await onChanged()
  }
  async function switchOff() {
    await storePushChoice(false)
    await endPushSubscription()
    const result = await dispatch(callEndpoint(removePush, {}))
    if (result.kind === 'problem') setProblem(result.problem)
  }
  async function change(action: () => Promise<void>) {
    setIsBusy(true)
    setProblem(null)
    setHasFailed(false)
    try {
      await action()
    } finally {
      setState(await readPushState())
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
