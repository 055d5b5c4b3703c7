import { type FormEvent, useState } from 'react'
import '#contract/index.ts'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import { CheckField, SelectField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { useConnection } from '#state/use-store.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import type { EditFormProps } from '#features/outbox/edit/edit-forms.ts'
import { findTakenField } from '#features/outbox/edit/find-taken-field.ts'
import { type SchemaField, getSchemaFields, parseFieldValue } from '#features/outbox/edit/schema-fields.ts'
import { useChangeLines } from '#features/outbox/change-lines.ts'
import { type FieldFormatter, useFieldFormatter, useEntryMessages } from '#features/outbox/entry-messages.ts'

type Texts = Record<string, string | boolean>

const toFieldText = ({ kind }: SchemaField, value: unknown): string | boolean => {
  if (kind === 'flag') return value === true
  return value === null || value === undefined ? '' : String(value)
}

/** For a noun without its own form: shows the fields that the write has set, as the contract describes them. */
export default function EditEntryForm({ entry, send, onClose, name }: EditFormProps & { name: string | null }) {
  const { t } = useTranslation('outbox')
  const fieldFormatter = useFieldFormatter()(entry.table)
  const lines = useChangeLines(entry.table)
  const { describeWrite } = useEntryMessages()
  const body = (entry.input.body ?? {}) as Record<string, unknown>
  const [schemaFields] = useState(() =>
    getSchemaFields(entry.endpoint, body).filter(({ name: field }) => field !== 'id'),
  )
  const [initialTexts] = useState<Texts>(() =>
    Object.fromEntries(
      schemaFields.map((schemaField) => [schemaField.name, toFieldText(schemaField, body[schemaField.name])]),
    ),
  )
  const [texts, setTexts] = useState(initialTexts)
  const [problem, setProblem] = useState<Problem | null>(entry.problem)
  const isOnline = useConnection().networkState === 'online'
  const [isBusy, setIsBusy] = useState(false)
  const [problemTexts, setProblemTexts] = useState(() => getProblemTexts(entry.problem, schemaFields, fieldFormatter))
  const changeField = (schemaField: SchemaField, value: string | boolean) => {
    setTexts({ ...texts, [schemaField.name]: value })
    setProblemTexts(Object.fromEntries(Object.entries(problemTexts).filter(([name]) => name !== schemaField.name)))
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const values = schemaFields
      .filter(({ kind }) => kind !== 'fixed')
      .map((schemaField) => [schemaField.name, readField(schemaField)] as const)
    const numberProblems = values.filter(([, value]) => Number.isNaN(value)).map(([field]) => [field, t('mend.number')])
    setProblemTexts(Object.fromEntries(numberProblems))
    if (numberProblems.length > 0) return
    const newBody = { ...body, ...Object.fromEntries(values) }
    const takenField = isOnline || entry.action !== 'create' ? null : await findTakenField(entry, newBody)
    if (takenField) return setProblemTexts({ [takenField]: formatTakenProblem(String(newBody[takenField])) })
    setIsBusy(true)
    const result = await send({ ...entry.input, body: newBody })
    setIsBusy(false)
    if (result.kind === 'problem') {
      setProblem(result.problem)
      return setProblemTexts(getProblemTexts(result.problem, schemaFields, fieldFormatter))
    }
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else showToast({ kind: 'done', text: t('mend.done') })
    onClose()
  }

  const readField = (schemaField: SchemaField) =>
    schemaField.kind === 'flag'
      ? texts[schemaField.name]
      : parseFieldValue(schemaField, String(texts[schemaField.name]))

  const isFieldProblem = Object.keys(problemTexts).length > 0
  return (
    <FormDrawer
      open
      title={t(entry.state === 'waiting' ? 'mend.edit' : 'mend.title', { write: describeWrite(entry, name) })}
      status={isBusy ? 'sending' : problem ? 'failed' : 'idle'}
      problem={isFieldProblem ? null : problem}
      failureTitle={t('mend.failed')}
      submitLabel={t(isBusy ? 'mend.saving' : 'mend.submit')}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
      isDirty={schemaFields.some((schemaField) => texts[schemaField.name] !== initialTexts[schemaField.name])}
    >
      {schemaFields.map((schemaField) =>
        schemaField.kind === 'fixed' ? (
          <FixedField
            key={schemaField.name}
            label={lines.formatLabel(schemaField.name)}
            texts={lines.formatValues(schemaField.name, body[schemaField.name])}
          />
        ) : (
          <SchemaFieldInput
            key={schemaField.name}
            schemaField={schemaField}
            label={fieldFormatter.formatField(schemaField.name)}
            formatValue={(value) => fieldFormatter.formatValue(schemaField.name, value)}
            text={texts[schemaField.name] ?? ''}
            error={problemTexts[schemaField.name]}
            onChange={(value) => changeField(schemaField, value)}
          />
        ),
      )}
    </FormDrawer>
  )
}

const formatTakenProblem = (value: string) => i18n.t('DUPLICATE', { ns: 'fields', code: value })

function getProblemTexts(
  refusal: Problem | null,
  schemaFields: readonly SchemaField[],
  fieldFormatter: FieldFormatter,
): Record<string, string> {
  const fieldFaults = refusal
    ? getFieldProblems(refusal).filter(({ field }) => schemaFields.some(({ name }) => name === field))
    : []
  return Object.fromEntries(
    fieldFaults.map((fieldProblem) => [
      fieldProblem.field,
      formatFieldProblem(fieldProblem, fieldFormatter.formatField(fieldProblem.field)),
    ]),
  )
}

interface SchemaFieldInputProps {
  schemaField: SchemaField
  label: string
  formatValue: (value: unknown) => string
  text: string | boolean
  error: string | undefined
  onChange: (value: string | boolean) => void
}

/** Shows a field without an input, because it has its own form elsewhere. */
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

function SchemaFieldInput({ schemaField, label, formatValue, text, error, onChange }: SchemaFieldInputProps) {
  const { t } = useTranslation('outbox')
  const { kind, values, isOptional } = schemaField
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
          ...values.map((value) => ({ value: String(value), label: formatValue(value) })),
        ]}
        value={String(text)}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <Field
      label={label}
      // Not a number input: it would return an empty value for other text, and the typed text would be lost.
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      error={error}
      value={String(text)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
