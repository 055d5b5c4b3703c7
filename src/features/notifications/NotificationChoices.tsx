import '#ui/icons/app-icons.ts'
import '#features/notifications/choices.css'
import { useState } from 'react'
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

interface ChoiceTableProps {
  choices: readonly NotificationChoice[]
  offlineReason: string | null
  refetch: () => Promise<void>
}

function ChoiceTable({ choices, offlineReason, refetch }: ChoiceTableProps) {
  const { t } = useTranslation('notifications')
  const { problem, run } = useAction(setNotificationChoice)
  /** Choices that the server has not confirmed yet, by event and channel. */
  const [pendingChoices, setPendingChoices] = useState<Readonly<Record<string, boolean>>>({})
  async function change(event: NotificationChoice['event'], channel: NotificationChannel, isOn: boolean) {
    const key = `${event} ${channel}`
    setPendingChoices((pending) => ({ ...pending, [key]: isOn }))
    const result = await run({ body: { event, channel, on: isOn } })
    if (result.kind !== 'problem') await refetch()
    setPendingChoices((pending) => Object.fromEntries(Object.entries(pending).filter(([name]) => name !== key)))
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
                  {channel === 'mail' && choice.mail_rule !== 'choice' ? (
                    <span className="choices-fixed">{t(`choices.rule.${choice.mail_rule}`)}</span>
                  ) : (
                    <label className="choices-box">
                      <input
                        type="checkbox"
                        disabled={offlineReason !== null}
                        checked={pendingChoices[`${choice.event} ${channel}`] ?? choice[channel]}
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
