import '#ui/form/forms.css'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '#contract/problem.ts'
import { consentHours, consentReasonLength, giveConsent } from '#contract/staff/acting-calls.ts'
import { cleanNumber } from '#domain/text.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { Field, FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

const parseHours = (text: string): number | null => {
  const number = /^\d{1,2}$/.test(cleanNumber(text)) ? Number(cleanNumber(text)) : 0
  return number >= consentHours.min && number <= consentHours.max ? number : null
}

const isConflict = ({ code }: Problem) => code === 'STATE_CONFLICT'

/** Asks how long, if the admin likes why, and whether changes are allowed (decision 116). What was typed stays after a refusal. */
export function ConsentForm({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useTranslation('company')
  const [hours, setHours] = useState(String(consentHours.default))
  const [reason, setReason] = useState('')
  const [allowsChanges, setAllowsChanges] = useState(false)
  const [hasFault, setHasFault] = useState(false)
  const { run, isBusy, problem } = useAction(giveConsent)
  const disabledReason = useUnsendableReason(t('consent.offline'))
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const number = parseHours(hours)
    setHasFault(number === null)
    if (number === null) event.currentTarget.querySelector<HTMLElement>('[name=hours]')?.focus()
    if (number === null || disabledReason !== null || isBusy) return
    const result = await run({ body: { hours: number, reason: reason.trim(), allows_changes: allowsChanges } })
    if (result.kind !== 'problem') showToast({ kind: 'done', text: t('consent.givenToast') })
    // Another admin has given a consent meanwhile. The card shows it.
    if (result.kind !== 'problem' || isConflict(result.problem)) await onDone()
  }
  return (
    <form className="consent-form" noValidate onSubmit={(event) => void submit(event)}>
      <FieldFrame
        size="figures"
        label={t('consent.hours')}
        help={t('consent.hoursHelp', consentHours)}
        error={hasFault ? t('consent.hoursFault', consentHours) : null}
      >
        {(controlProps) => (
          <WholeNumberInput
            {...controlProps}
            name="hours"
            value={hours}
            min={consentHours.min}
            max={consentHours.max}
            onType={(text) => {
              setHours(text)
              if (parseHours(text) !== null) setHasFault(false)
            }}
          />
        )}
      </FieldFrame>
      <Field
        label={t('consent.reason')}
        optional
        name="reason"
        autoComplete="off"
        maxLength={consentReasonLength}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <CheckField
        label={t('consent.changes')}
        help={t('consent.changesHelp')}
        name="allows_changes"
        checked={allowsChanges}
        onChange={({ target }) => setAllowsChanges(target.checked)}
      />
      <ProblemNote problem={problem} title={t('consent.notGiven')} shouldFocus />
      <div>
        <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={disabledReason}>
          {t('consent.give')}
        </Button>
      </div>
    </form>
  )
}
