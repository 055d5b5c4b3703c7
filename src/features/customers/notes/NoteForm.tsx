import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '#contract/problem.ts'
import { noteLimit } from '#contract/staff/customer-notes.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

interface NoteFormProps {
  label: string
  submitLabel: string
  initialText?: string
  disabledReason: string | null
  onCancel?: () => void
  /** Returns the problem if the note was not saved. The text then stays in the form. */
  onSubmit: (text: string) => Promise<Problem | null>
}

export function NoteForm({ label, submitLabel, initialText = '', disabledReason, onCancel, onSubmit }: NoteFormProps) {
  const { t } = useTranslation('customers')
  const id = useId()
  const [text, setText] = useState(initialText)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  async function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') return setError(t('note.empty'))
    setIsBusy(true)
    const problem = await onSubmit(text)
    setIsBusy(false)
    if (problem?.code === 'VERSION_CONFLICT') setError(t('note.conflict'))
    else setError(problem && formatProblem(problem))
    if (!problem) setText('')
  }
  return (
    <form className="customer-note-form" onSubmit={(event) => void handleSubmit(event)}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name="note"
        className="input"
        rows={4}
        maxLength={noteLimit}
        value={text}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
        onChange={({ target }) => {
          setText(target.value)
          setError(null)
        }}
      />
      {error !== null && (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
      <div className="customer-note-acts">
        <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={disabledReason}>
          {submitLabel}
        </Button>
        {onCancel && <Button onClick={onCancel}>{t('note.cancel')}</Button>}
      </div>
    </form>
  )
}
