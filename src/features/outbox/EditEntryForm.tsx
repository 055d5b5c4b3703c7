import { type FormEvent, useState } from 'react'
import '#contract/index.ts'
import { fieldProblems, type Problem } from '#contract/problem.ts'
import { CheckField, SelectField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { useConnection } from '#state/hooks.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import type { MendProps } from '#features/outbox/edit-forms.ts'
import { findTakenField } from '#features/outbox/taken-name.ts'
import { type Part, partsOf, valueOf } from '#features/outbox/schema-fields.ts'
import { useChangeLines } from '#features/outbox/change-lines.ts'
import { type FieldWords, useFieldWords, useSentences } from '#features/outbox/entry-messages.ts'

type Texts = Record<string, string | boolean>

const textOf = ({ kind }: Part, value: unknown): string | boolean => {
  if (kind === 'flag') return value === true
  return value === null || value === undefined ? '' : String(value)
}

/** For a noun without a form of its own here: the fields that the write set, as the contract describes them. */
export default function MendForm({ entry, send, onClose, name }: MendProps & { name: string | null }) {
  const { t } = useTranslation('outbox')
  const words = useFieldWords()(entry.table)
  const lines = useChangeLines(entry.table)
  const { whatOf } = useSentences()
  const body = (entry.input.body ?? {}) as Record<string, unknown>
  const [parts] = useState(() => partsOf(entry.endpoint, body).filter(({ name: field }) => field !== 'id'))
  const [first] = useState<Texts>(() =>
    Object.fromEntries(parts.map((part) => [part.name, textOf(part, body[part.name])])),
  )
  const [texts, setTexts] = useState(first)
  const [problem, setProblem] = useState<Problem | null>(entry.problem)
  const isOnline = useConnection().line === 'online'
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState(() => wordsFor(entry.problem, parts, words))
  const set = (part: Part, value: string | boolean) => {
    setTexts({ ...texts, [part.name]: value })
    setWrong(Object.fromEntries(Object.entries(wrong).filter(([name]) => name !== part.name)))
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const values = parts.filter(({ kind }) => kind !== 'fixed').map((part) => [part.name, readOf(part)] as const)
    const notNumbers = values.filter(([, value]) => Number.isNaN(value)).map(([field]) => [field, t('mend.number')])
    setWrong(Object.fromEntries(notNumbers))
    if (notNumbers.length > 0) return
    const changed = { ...body, ...Object.fromEntries(values) }
    const taken = isOnline || entry.action !== 'create' ? null : await findTakenField(entry, changed)
    if (taken) return setWrong({ [taken]: takenWords(String(changed[taken])) })
    setBusy(true)
    const result = await send({ ...entry.input, body: changed })
    setBusy(false)
    if (result.kind === 'problem') {
      setProblem(result.problem)
      return setWrong(wordsFor(result.problem, parts, words))
    }
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else showToast({ kind: 'done', text: t('mend.done') })
    onClose()
  }

  const readOf = (part: Part) => (part.kind === 'flag' ? texts[part.name] : valueOf(part, String(texts[part.name])))

  const isFieldProblem = Object.keys(wrong).length > 0
  return (
    <FormDrawer
      open
      title={t(entry.state === 'waiting' ? 'mend.edit' : 'mend.title', { what: whatOf(entry, name) })}
      status={busy ? 'sending' : problem ? 'failed' : 'idle'}
      problem={isFieldProblem ? null : problem}
      failed={t('mend.failed')}
      submit={t(busy ? 'mend.saving' : 'mend.submit')}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
      dirty={parts.some((part) => texts[part.name] !== first[part.name])}
    >
      {parts.map((part) =>
        part.kind === 'fixed' ? (
          <FixedField key={part.name} label={lines.label(part.name)} texts={lines.values(part.name, body[part.name])} />
        ) : (
          <PartField
            key={part.name}
            part={part}
            label={words.field(part.name)}
            valueWords={(value) => words.value(part.name, value)}
            text={texts[part.name] ?? ''}
            error={wrong[part.name]}
            onChange={(value) => set(part, value)}
          />
        ),
      )}
    </FormDrawer>
  )
}

/** As the server refuses it. */
const takenWords = (value: string) => i18n.t('DUPLICATE', { ns: 'fields', code: value })

/** By field: what the refusal says of it. */
function wordsFor(refused: Problem | null, parts: readonly Part[], words: FieldWords): Record<string, string> {
  const found = refused ? fieldProblems(refused).filter(({ field }) => parts.some(({ name }) => name === field)) : []
  return Object.fromEntries(found.map((one) => [one.field, fieldWords(one, words.field(one.field))]))
}

interface PartFieldProps {
  part: Part
  label: string
  valueWords: (value: unknown) => string
  text: string | boolean
  error: string | undefined
  onChange: (value: string | boolean) => void
}

/** What has a form of its own elsewhere is only shown. */
function FixedField({ label, texts }: { label: string; texts: readonly string[] }) {
  const { t } = useTranslation('outbox')
  return (
    <div className="field">
      <p className="field-label">{label}</p>
      <ul className="fixed-values">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p className="field-help">{t('mend.fixed')}</p>
    </div>
  )
}

function PartField({ part, label, valueWords, text, error, onChange }: PartFieldProps) {
  const { t } = useTranslation('outbox')
  const { kind, values, isOptional } = part
  if (kind === 'flag')
    return (
      <CheckField
        label={label}
        error={error}
        checked={text === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  if (kind === 'choice')
    return (
      <SelectField
        label={label}
        error={error}
        options={[
          ...(isOptional ? [{ value: '', label: t('mend.none') }] : []),
          ...values.map((value) => ({ value: String(value), label: valueWords(value) })),
        ]}
        value={String(text)}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <Field
      label={label}
      // Not a number field: what is no number would come out of it as nothing, and be lost to the eye.
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      error={error}
      value={String(text)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
