import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { cleanCode } from '#domain/text.ts'
import { getDialCode, profileFields } from '#domain/accounts/company-fields.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useSaveBlocked, useDispatch, useSelector } from '#state/use-store.ts'
import type { CallResult } from '#request/call-results.ts'
import { getFormResult } from '#state/form-thunk.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { createUnsavedForms } from '#state/unsaved-forms.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { PageForm } from '#ui/form/PageForm.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { useTranslation } from 'react-i18next'
import { CompanyForm, type CompanyFieldName } from '#features/company/components/CompanyForm.tsx'
import { useProblemFormatter } from '#features/company/components/useProblemFormatter.ts'
import {
  getProfileChanges,
  checkForm,
  type CompanyRow,
  toProfileFromValues,
  toProfile,
  rebaseProfile,
  toValues,
  type CompanyFormValues,
} from '#features/company/form.ts'
import { formOpened, saveCompany, selectCompany } from '#features/company/slice.ts'

/** A form whose user has to sign in again goes on where it was. */
const unsavedForms = createUnsavedForms<{ base: OverlaidRow<CompanyRow>; typedValues: CompanyFormValues }>()
const formName = 'company'

/** A wrong number is shown where the digits are. */
function getInputName({ field, code }: FieldProblem): keyof CompanyFormValues {
  if (field !== 'tel') return field as keyof CompanyFormValues
  return code === 'DIAL_CODE_MISSING' ? 'dialCode' : 'number'
}

interface RowConflict {
  previousRow: CompanyRow
  currentRow: CompanyRow
}

function showSaved(result: CallResult<unknown>, savedText: string) {
  if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
  else showToast({ kind: 'done', text: savedText })
}

/** `overlaidRow`: as it is now. The form follows it as long as nobody has typed, and stands still from then on. */
export function CompanyEdit({ overlaidRow }: { overlaidRow: OverlaidRow<CompanyRow> }) {
  const { t } = useTranslation('company')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const unsavedForm = unsavedForms.useUnsavedForm(formName)
  const [base, setBase] = useState(unsavedForm?.base ?? overlaidRow)
  const [conflict, setConflict] = useState<RowConflict | null>(null)
  const { form: status } = useSelector(selectCompany)
  const saveBlock = useSaveBlocked()
  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = saveBlock ? createLocalProblem(saveBlock.code) : getStatusProblem(status)
  const savedProfile = toProfile(base.row)

  const formatProblem = useProblemFormatter(base.row.code)
  const toErrors = (problems: FieldProblem[]) =>
    Object.fromEntries(
      problems.map((problem) => [getInputName(problem), { type: problem.code, message: formatProblem(problem) }]),
    )

  const { register, handleSubmit, formState, watch, setValue, setError, reset, getValues } = useForm<CompanyFormValues>(
    {
      defaultValues: unsavedForm?.typedValues ?? toValues(savedProfile),
      resolver: (values) => {
        const problems = checkForm(toProfileFromValues(values), savedProfile)
        return problems.length === 0 ? { values, errors: {} } : { values: {}, errors: toErrors(problems) }
      },
    },
  )
  useEffect(() => void dispatch(formOpened()), [dispatch])

  const typedValues = watch()
  const changes = getProfileChanges(toProfileFromValues(typedValues), savedProfile)
  const hasChanges = Object.keys(changes).length > 0
  unsavedForms.useKeepUnsavedForm(formName, hasChanges ? { base, typedValues } : null)

  const [isSaved, setSaved] = useState(false)
  useEffect(() => {
    if (overlaidRow === base || (hasChanges && !isSaved)) return
    setSaved(false)
    setBase(overlaidRow)
    reset(toValues(toProfile(overlaidRow.row)))
  }, [overlaidRow, base, hasChanges, isSaved, reset])

  const submit = handleSubmit(async (values) => {
    const result = getFormResult(
      await dispatch(
        saveCompany({ overlaidRow: base, changes: getProfileChanges(toProfileFromValues(values), savedProfile) }),
      ),
    )
    if (result.kind === 'problem') return handleRefusal(result.problem)
    showSaved(result, tUi('message.updated'))
    setConflict(null)
    setSaved(true)
  })

  /** What was refused comes back to the fields it is about, or, changed by somebody else, onto the row as it is now. */
  function handleRefusal(refusal: Problem) {
    const currentRow =
      refusal.code === 'VERSION_CONFLICT' ? ((refusal.data as { current?: CompanyRow } | null)?.current ?? null) : null
    setConflict(currentRow && { previousRow: base.row, currentRow })
    if (currentRow) {
      const rebasedProfile = rebaseProfile(toProfileFromValues(getValues()), savedProfile, toProfile(currentRow))
      setBase({ row: currentRow, waiting: null })
      reset(toValues(rebasedProfile))
    }
    for (const [field, error] of Object.entries(toErrors(getFieldProblems(refusal))))
      setError(field as keyof CompanyFormValues, error, { shouldFocus: true })
  }

  const getFieldProps = (name: CompanyFieldName | 'tax_number') =>
    // Shown locked, and no part of what is typed.
    name === 'code'
      ? {}
      : {
          error: formState.errors[name]?.message,
          ...register(name, name === 'country' ? { onChange: ({ target }) => changeCountry(target.value) } : {}),
        }
  const changeCountry = (country: string) => setValue('dialCode', getDialCode(country, getValues('dialCode')))

  return (
    <PageForm
      status={status.kind}
      problem={conflict || (problem && getFieldProblems(problem).length > 0) ? null : problem}
      failureTitle={saveBlock ? undefined : tUi('message.updateFailed')}
      submitLabel={status.kind === 'sending' ? t('form.saving') : t('form.submit')}
      disabledReason={saveBlock ? tUi(saveBlock.reason) : hasChanges ? null : t('form.unchanged')}
      onSubmit={(event) => void submit(event)}
      isDirty={hasChanges}
    >
      {base.waiting && (
        <p>
          <PendingMark {...base.waiting} />
        </p>
      )}
      {conflict && (
        <ConflictNote
          title={t('conflict')}
          differences={listServerChanges(conflict).map(({ name, value }) => ({ label: t(`form.${name}`), value }))}
        />
      )}
      <CompanyForm lockedCode={base.row.code} values={typedValues} getFieldProps={getFieldProps} />
      <Field
        label={t('form.tax_number')}
        autoComplete="off"
        maxLength={40}
        help={t('help.tax_number')}
        {...normaliseOnBlur(getFieldProps('tax_number'), cleanCode)}
      />
    </PageForm>
  )
}

/** Fields that somebody else has changed. */
function listServerChanges({ previousRow, currentRow }: RowConflict) {
  const serverChanges = getProfileChanges(toProfile(currentRow), toProfile(previousRow))
  return profileFields.flatMap((name) => (name in serverChanges ? [{ name, value: serverChanges[name] ?? '' }] : []))
}
