import '#ui/icons/app-icons.ts'
import '#features/notifications/choices.css'
import { useRef, useState } from 'react'
import { getNotificationChoices, type NotificationChoice, setNotificationChoice } from '#contract/notifications.ts'
import type { NotificationChannel } from '#domain/notifications.ts'
import { PushSwitch } from '#features/notifications/PushSwitch.tsx'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useRecord } from '#state/use-record.ts'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'

const channels = ['portal', 'mail', 'push'] as const satisfies NotificationChannel[]

/** On which channels the user is notified of each event. A choice takes effect immediately. */
export function NotificationChoices() {
  const { t } = useTranslation('notifications')
  const { t: tProfile } = useTranslation('profile')
  const { record, problem: readProblem, refetch } = useRecord(getNotificationChoices, {})
  const offlineReason = useOfflineReason(t('choices.offline'))
  const crumbs = [{ label: tProfile('title'), to: '/app/profile/user' }]
  return (
    <Page title={t('choices.title')} intro={t('choices.lead')} crumbs={crumbs} width="narrow">
      {!record && readProblem && <ProblemNote problem={readProblem} onRetry={() => void refetch()} />}
      {!record && !readProblem && <Skeleton lines={5} />}
      {record && <ChoiceTable choices={record.choices} {...{ offlineReason, refetch }} />}
      {record && (
        <PushSwitch publicKey={record.push_key} choices={record.choices} {...{ offlineReason }} onChanged={refetch} />
      )}
    </Page>
  )
}

/** A change that is not in the stored choices yet. A later change of the same box replaces it. */
interface PendingChoice {
  /** Number of the change, so that the end of an earlier change of the same box does not affect it. */
  number: number
  event: NotificationChoice['event']
  channel: NotificationChannel
  isOn: boolean
  isConfirmed: boolean
}

interface ChoiceTableProps {
  choices: readonly NotificationChoice[]
  offlineReason: string | null
  refetch: () => Promise<void>
}

function ChoiceTable({ choices, offlineReason, refetch }: ChoiceTableProps) {
  const { t } = useTranslation('notifications')
  const { problem, run } = useAction(setNotificationChoice)
  const [pendingChoices, setPendingChoices] = useState<readonly PendingChoice[]>([])
  const changeCount = useRef(0)
  // A change stays until the stored choice is equal, because the list may be read later, or not at all.
  const remaining = pendingChoices.filter(
    ({ event, channel, isOn, isConfirmed }) =>
      !isConfirmed || choices.some((choice) => choice.event === event && choice[channel] !== isOn),
  )
  if (remaining.length < pendingChoices.length) setPendingChoices(remaining)
  const isChecked = (choice: NotificationChoice, channel: NotificationChannel) =>
    pendingChoices.find((pending) => pending.event === choice.event && pending.channel === channel)?.isOn ??
    choice[channel]
  async function change(event: NotificationChoice['event'], channel: NotificationChannel, isOn: boolean) {
    changeCount.current += 1
    const number = changeCount.current
    const isOther = (pending: PendingChoice) => pending.event !== event || pending.channel !== channel
    setPendingChoices((all) => [...all.filter(isOther), { number, event, channel, isOn, isConfirmed: false }])
    const result = await run({ body: { event, channel, on: isOn } })
    if (result.kind === 'problem') return setPendingChoices((all) => all.filter((pending) => pending.number !== number))
    await refetch()
    setPendingChoices((all) =>
      all.map((pending) => (pending.number === number ? { ...pending, isConfirmed: true } : pending)),
    )
  }
  return (
    <section className="card channel-choices">
      <ProblemNote problem={problem} title={t('choices.notSaved')} shouldFocus />
      {offlineReason && <p className="choices-note">{offlineReason}</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">{t('choices.event')}</th>
            {channels.map((channel) => (
              <th key={channel} scope="col">
                {t(`choices.channel.${channel}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {choices.map((choice) => (
            <tr key={choice.event}>
              <th scope="row">
                {t(`choices.events.${choice.event}`)}
                <span className="choices-help">{t(`choices.help.${choice.event}`)}</span>
              </th>
              {channels.map((channel) => (
                <td key={channel}>
                  <span className="choices-channel" aria-hidden="true">
                    {t(`choices.channel.${channel}`)}
                  </span>
                  {channel === 'mail' && choice.mail_rule !== 'choice' ? (
                    <span className="choices-fixed">{t(`choices.rule.${choice.mail_rule}`)}</span>
                  ) : (
                    <label className="check box choices-box">
                      <input
                        type="checkbox"
                        disabled={offlineReason !== null}
                        checked={isChecked(choice, channel)}
                        onChange={({ target }) => void change(choice.event, channel, target.checked)}
                      />
                      <span className="sr-only">
                        {t('choices.box', {
                          event: t(`choices.events.${choice.event}`),
                          channel: t(`choices.channel.${channel}`),
                        })}
                      </span>
                    </label>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="choices-note">{t('choices.required')}</p>
    </section>
  )
}
