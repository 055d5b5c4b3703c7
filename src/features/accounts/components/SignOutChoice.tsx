import { type FormEvent, useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'

const choices = ['keep', 'send', 'discard', 'stay'] as const
type SignOutOption = (typeof choices)[number]
const submitKeys = { keep: 'submitKeep', send: 'submitSend', discard: 'submitDiscard', stay: 'submitStay' } as const

/** Time that the outbox has to send all writes before the user is shown that some were not sent, ms. */
const sendTimeoutMs = 15_000

export function SignOutChoice({
  waitingCount,
  onLeave,
}: {
  waitingCount: number
  onLeave: (shouldDiscard: boolean) => void
}) {
  const { t } = useTranslation('visitors')
  const navigate = useNavigate()
  const { networkState: connection } = useConnection()
  const [choice, setChoice] = useState<SignOutOption>('keep')
  const [isConfirmed, setConfirmed] = useState(false)
  const [sendState, setSendState] = useState<'no' | 'yes' | 'in vain'>('no')

  // The outbox sends by itself, and the parent page signs out when no write is waiting. This effect only limits the time.
  useEffect(() => {
    if (sendState !== 'yes') return
    const timer = setTimeout(() => setSendState('in vain'), sendTimeoutMs)
    return () => clearTimeout(timer)
  }, [sendState])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (choice === 'keep') onLeave(false)
    else if (choice === 'discard' && isConfirmed) onLeave(true)
    else if (choice === 'discard') setConfirmed(true)
    else if (choice === 'send') setSendState('yes')
    else void navigate('/app/home')
  }
  const options = choices.map((value) => ({ value, label: t(`logout.${value}`), help: t(`logout.${value}Help`) }))
  const offlineReason = choice === 'send' && connection !== 'online' ? t('logout.sendOffline') : null
  return (
    <AccountCard
      title={t('logout.waitingTitle', { count: waitingCount })}
      intro={t('logout.waitingText', { count: waitingCount })}
    >
      <form className="form account-choice" onSubmit={submit}>
        {sendState === 'yes' && <Note>{t('logout.sending', { count: waitingCount })}</Note>}
        {sendState === 'in vain' && <Note kind="pending">{t('logout.notSent', { count: waitingCount })}</Note>}
        <RadioField
          label={t('logout.question')}
          name="choice"
          options={options}
          selectedValue={choice}
          onChange={(event) => {
            setConfirmed(false)
            setChoice(choices.find((value) => value === event.target.value) ?? 'keep')
          }}
        />
        {isConfirmed && (
          <div className="problem" role="alert">
            <Icon name="alert" />
            <p>{t('logout.discardSure', { count: waitingCount })}</p>
          </div>
        )}
        <Button
          kind={isConfirmed ? 'danger' : 'primary'}
          type="submit"
          isBusy={sendState === 'yes'}
          disabledReason={offlineReason}
        >
          {t(`logout.${isConfirmed ? 'submitSure' : submitKeys[choice]}`)}
        </Button>
      </form>
    </AccountCard>
  )
}
