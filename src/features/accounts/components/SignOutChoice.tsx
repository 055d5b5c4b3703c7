import { type FormEvent, useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useConnection } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { RadioField } from '#ui/form/ChoiceFields.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'

const choices = ['keep', 'send', 'discard', 'stay'] as const
type Choice = (typeof choices)[number]
const submits = { keep: 'submitKeep', send: 'submitSend', discard: 'submitDiscard', stay: 'submitStay' } as const

/** How long the queue may take to empty itself before the person is told that it did not. */
const SEND_MS = 15_000

/** Work that the server does not have yet: it is for its owner to say what becomes of it. */
export function LeaveChoice({ waiting, onLeave }: { waiting: number; onLeave: (discard: boolean) => void }) {
  const { t } = useTranslation('visitors')
  const navigate = useNavigate()
  const { line } = useConnection()
  const [choice, setChoice] = useState<Choice>('keep')
  /** What is thrown away is asked about twice. */
  const [sure, setSure] = useState(false)
  const [sending, setSending] = useState<'no' | 'yes' | 'in vain'>('no')

  // The queue drains by itself; the page above leaves as soon as nothing waits, so only the time is watched here.
  useEffect(() => {
    if (sending !== 'yes') return
    const timer = setTimeout(() => setSending('in vain'), SEND_MS)
    return () => clearTimeout(timer)
  }, [sending])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (choice === 'keep') onLeave(false)
    else if (choice === 'discard' && sure) onLeave(true)
    else if (choice === 'discard') setSure(true)
    else if (choice === 'send') setSending('yes')
    else void navigate('/app/home')
  }
  const options = choices.map((value) => ({ value, label: t(`logout.${value}`), help: t(`logout.${value}Help`) }))
  const offline = choice === 'send' && line !== 'online' ? t('logout.sendOffline') : null
  return (
    <AccountCard
      title={t('logout.waitingTitle', { count: waiting })}
      intro={t('logout.waitingText', { count: waiting })}
    >
      <form className="form account-choice" onSubmit={submit}>
        {sending === 'yes' && <Note>{t('logout.sending', { count: waiting })}</Note>}
        {sending === 'in vain' && <Note kind="pending">{t('logout.notSent', { count: waiting })}</Note>}
        <RadioField
          label={t('logout.question')}
          name="choice"
          options={options}
          chosen={choice}
          onChange={(event) => {
            setSure(false)
            setChoice(choices.find((value) => value === event.target.value) ?? 'keep')
          }}
        />
        {sure && (
          <div className="problem" role="alert">
            <Icon name="alert" />
            <p>{t('logout.discardSure', { count: waiting })}</p>
          </div>
        )}
        <Button kind={sure ? 'danger' : 'primary'} type="submit" busy={sending === 'yes'} whyNot={offline}>
          {t(`logout.${sure ? 'submitSure' : submits[choice]}`)}
        </Button>
      </form>
    </AccountCard>
  )
}
