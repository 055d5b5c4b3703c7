import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { tidyCode } from '#domain/text.ts'
import { dialCodeFor, profileFields } from '#domain/accounts/companies.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useSaveBlocked, useDispatch, useSelector } from '#state/hooks.ts'
import { resultOf } from '#state/form-thunk.ts'
import { problemOf } from '#state/request-status.ts'
import { createUnsaved } from '#state/unsaved-forms.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { Field } from '#ui/form/Field.tsx'
import { tidyOnLeave } from '#ui/form/tidy-on-leave.ts'
import { PageForm } from '#ui/form/PageForm.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { useTranslation } from 'react-i18next'
import { CompanyForm, type Name } from '#features/company/components/CompanyForm.tsx'
import { useProblemWords } from '#features/company/components/useProblemWords.ts'
import {
  changesOf,
  checkForm,
  type CompanyRow,
  fromValues,
  profileOf,
  rebase,
  toValues,
  type Values,
} from '#features/company/form.ts'
import { formOpened, save, selectCompany } from '#features/company/slice.ts'

/** A form whose user has to sign in again goes on where it was. */
const unsaved = createUnsaved<{ base: OverlaidRow<CompanyRow>; typed: Values }>()
const place = 'company'

/** A wrong number is shown where the digits are. */
function inputOf({ field, code }: FieldProblem): keyof Values {
  if (field !== 'tel') return field as keyof Values
  return code === 'DIAL_CODE_MISSING' ? 'dialCode' : 'number'
}

/** `shown`: as it is now. The form follows it as long as nobody has typed, and stands still from then on. */
export function CompanyEdit({ shown }: { shown: OverlaidRow<CompanyRow> }) {
  const { t } = useTranslation('company')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const held = unsaved.useHeld(place)
  const [base, setBase] = useState(held?.base ?? shown)
  const [conflict, setConflict] = useState<{ was: CompanyRow; now: CompanyRow } | null>(null)
  const { form: status } = useSelector(selectCompany)
  const blocked = useSaveBlocked()
  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = blocked ? localProblem(blocked.code) : problemOf(status)
  const before = profileOf(base.row)

  const said = useProblemWords(base.row.code)
  const errorsOf = (found: FieldProblem[]) =>
    Object.fromEntries(found.map((one) => [inputOf(one), { type: one.code, message: said(one) }]))

  const { register, handleSubmit, formState, watch, setValue, setError, reset, getValues } = useForm<Values>({
    defaultValues: held?.typed ?? toValues(before),
    resolver: (values) => {
      const found = checkForm(fromValues(values), before)
      return found.length === 0 ? { values, errors: {} } : { values: {}, errors: errorsOf(found) }
    },
  })
  useEffect(() => void dispatch(formOpened()), [dispatch])

  const typed = watch()
  const changes = changesOf(fromValues(typed), before)
  const dirty = Object.keys(changes).length > 0
  unsaved.useHolding(place, dirty ? { base, typed } : null)

  const [saved, setSaved] = useState(false)
  useEffect(() => {
    if (shown === base || (dirty && !saved)) return
    setSaved(false)
    setBase(shown)
    reset(toValues(profileOf(shown.row)))
  }, [shown, base, dirty, saved, reset])

  const submit = handleSubmit(async (values) => {
    const result = resultOf(await dispatch(save({ opened: base, changes: changesOf(fromValues(values), before) })))
    if (result.kind === 'problem') return takeBack(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else showToast({ kind: 'done', text: words('message.updated') })
    setConflict(null)
    setSaved(true)
  })

  /** What was refused comes back to the fields it is about, or, changed by somebody else, onto the row as it is now. */
  function takeBack(refused: Problem) {
    const now =
      refused.code === 'VERSION_CONFLICT' ? ((refused.data as { current?: CompanyRow } | null)?.current ?? null) : null
    setConflict(now && { was: base.row, now })
    if (now) {
      const kept = rebase(fromValues(getValues()), before, profileOf(now))
      setBase({ row: now, waiting: null })
      reset(toValues(kept))
    }
    for (const [field, error] of Object.entries(errorsOf(fieldProblems(refused))))
      setError(field as keyof Values, error, { shouldFocus: true })
  }

  const field = (name: Name | 'tax_number') =>
    // Shown locked, and no part of what is typed.
    name === 'code'
      ? {}
      : {
          error: formState.errors[name]?.message,
          ...register(name, name === 'country' ? { onChange: onCountry } : {}),
        }
  function onCountry({ target }: { target: { value: string } }) {
    setValue('dialCode', dialCodeFor(target.value, getValues('dialCode')))
  }

  return (
    <PageForm
      status={status.kind}
      problem={conflict || (problem && fieldProblems(problem).length > 0) ? null : problem}
      failed={blocked ? undefined : words('message.updateFailed')}
      submit={status.kind === 'sending' ? t('form.saving') : t('form.submit')}
      whyNot={blocked ? words(blocked.reason) : dirty ? null : t('form.unchanged')}
      onSubmit={(event) => void submit(event)}
      dirty={dirty}
    >
      {base.waiting && (
        <p>
          <PendingMark {...base.waiting} />
        </p>
      )}
      {conflict && <ConflictNote title={t('conflict')} found={differences(conflict)} />}
      <CompanyForm lockedCode={base.row.code} values={typed} field={field} />
      <Field
        label={t('form.tax_number')}
        autoComplete="off"
        maxLength={40}
        help={t('help.tax_number')}
        {...tidyOnLeave(field('tax_number'), tidyCode)}
      />
    </PageForm>
  )

  function differences({ was, now }: { was: CompanyRow; now: CompanyRow }) {
    const theirs = changesOf(profileOf(now), profileOf(was))
    return profileFields.flatMap((name) =>
      name in theirs ? [{ label: t(`form.${name}`), now: theirs[name] ?? '' }] : [],
    )
  }
}
