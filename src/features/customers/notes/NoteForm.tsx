import '#ui/form/forms.css'
import { type FormEvent, type Ref, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '#contract/problem.ts'
import { noteLimit } from '#contract/staff/customer-notes.ts'
import { Button } from '#ui/display/Button.tsx'
import { FieldFrame, useLengthLimit } from '#ui/form/Field.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

interface NoteFormProps {
  label: string
  submitLabel: string
  initialText?: string
  shouldFocus?: boolean
  fieldRef?: Ref<HTMLTextAreaElement>
  disabledReason: string | null
  /** Called with false when the form is closed. */
  onDirtyChange: (isDirty: boolean) => void
  onCancel?: (isDirty: boolean) => void
  /** Returns the problem if the note was not saved. The text then stays in the form. */
  onSubmit: (text: string) => Promise<Problem | null>
  /** Called after saving, unless the user has typed meanwhile. */
  onSaved?: () => void
}

export function NoteForm({ initialText = '', onDirtyChange, onSubmit, onSaved, ...props }: NoteFormProps) {
  const { t } = useTranslation('customers')
  const [text, setText] = useState(initialText)
  const textRef = useRef(text)
  const [isBusy, setIsBusy] = useState(false)
  const [fieldError, setFieldError] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const longestText = getLongestForm(text)
  const { error, input } = useLengthLimit<HTMLTextAreaElement>(noteLimit, { value: longestText, error: fieldError })
  const isDirty = text !== initialText
  useReportDirty(isDirty, onDirtyChange)

  function changeText(newText: string) {
    textRef.current = newText
    setText(newText)
    setFieldError(null)
    setProblem(null)
  }
  async function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') return setFieldError(t('note.empty'))
    if (longestText.length > noteLimit) return
    setProblem(null)
    setIsBusy(true)
    const newProblem = await onSubmit(text)
    setIsBusy(false)
    setProblem(newProblem)
    if (newProblem || textRef.current !== text) return
    if (onSaved) onSaved()
    else changeText('')
  }
  return (
    <form className="customer-note-form" onSubmit={(event) => void handleSubmit(event)}>
      <FieldFrame label={props.label} error={error}>
        {(frameProps) => (
          <textarea
            name="note"
            className="input"
            rows={4}
            ref={props.fieldRef}
            autoFocus={props.shouldFocus}
            value={text}
            onChange={({ target }) => changeText(target.value)}
            {...input}
            {...frameProps}
          />
        )}
      </FieldFrame>
      {problem && (
        <p className="field-error" role="alert">
          {problem.code === 'VERSION_CONFLICT' ? t('note.conflict') : formatProblem(problem)}
        </p>
      )}
      <div className="customer-note-acts">
        <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={props.disabledReason}>
          {props.submitLabel}
        </Button>
        {props.onCancel && <Button onClick={() => props.onCancel?.(isDirty)}>{t('note.cancel')}</Button>}
      </div>
    </form>
  )
}

/** The server stores NFC, which can be longer than what was typed. */
function getLongestForm(text: string): string {
  const storedText = text.normalize('NFC')
  return storedText.length > text.length ? storedText : text
}

function useReportDirty(isDirty: boolean, onDirtyChange: (isDirty: boolean) => void) {
  const report = useRef(onDirtyChange)
  useEffect(() => {
    report.current = onDirtyChange
  })
  useEffect(() => {
    report.current(isDirty)
    return () => report.current(false)
  }, [isDirty])
}
