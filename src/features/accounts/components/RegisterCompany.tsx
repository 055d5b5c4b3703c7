import { type ComponentType, type FormEvent, useEffect, useRef, useState } from 'react'
import { checkCompany, checkNewCompany, type CompanyField, type CompanyValues } from '#domain/accounts/companies.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { SignupValues } from '#domain/accounts/signup.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { useTranslation } from 'react-i18next'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { askTaken } from '#features/accounts/registration.ts'

/** The form of a company's profile, which the app brings along: no feature sees another. */
export type CompanyForm = ComponentType<{
  values: CompanyValues
  problems: readonly FieldProblem[]
  onChange: (fields: Partial<CompanyValues>) => void
  onLeave: (field: CompanyField) => void
}>

interface Props {
  CompanyFields: CompanyForm
  values: SignupValues
  /** What the server refused of this step. */
  refused: readonly FieldProblem[]
  onChange: (fields: Partial<CompanyValues>) => void
  onDone: () => void
}

/** The first step. */
export function RegisterCompany({ CompanyFields, values, refused, onChange, onDone }: Props) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { type, problems, form, refuse, mark } = useSmallForm<Partial<CompanyValues>>({})
  const [asking, setAsking] = useState(false)
  /** The code that stands now, for an answer that comes late. */
  const code = useRef('')
  useEffect(() => {
    code.current = values.code.trim()
  }, [values.code])
  useEffect(() => {
    if (refused.length > 0) refuse(refused)
  }, [refused, refuse])

  /** Whether somebody has it already; not asked for what can be no code at all. */
  async function isTaken(): Promise<boolean> {
    const asked = code.current
    if (checkCompany({ code: asked }).length > 0) return false
    const taken = await dispatch(askTaken(asked))
    return taken === true && asked === code.current
  }

  async function leave(field: CompanyField) {
    if (field !== 'code') return
    if (await isTaken()) mark(occupied)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (asking) return
    const wrong = checkNewCompany({ ...values, code: values.code.trim() })
    // What was found on leaving the field stands until the code is another one.
    if (wrong.length > 0) return void refuse([...problems.filter(({ code }) => code === occupied.code), ...wrong])
    setAsking(true)
    const taken = await isTaken()
    setAsking(false)
    if (refuse(taken ? [occupied] : [])) onDone()
  }

  return (
    <form className="form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
      <ErrorSummary />
      <CompanyFields
        values={values}
        problems={problems}
        onChange={(fields) => {
          type(fields)
          onChange(fields)
        }}
        onLeave={(field) => void leave(field)}
      />
      <Button kind="primary" type="submit" busy={asking}>
        {t('signup.next')}
      </Button>
    </form>
  )
}

const occupied: FieldProblem = { field: 'code', code: 'DUPLICATE' }
